//! Makes what the page's TypeScript sees of the planner. Run by the page's build:
//!
//! * `btrfs-plan-bindings glue WASM FOLDER`: the JavaScript around the wasm, with the version of wasm-bindgen that the
//!   workspace's lock file names, so that both always fit;
//! * `btrfs-plan-bindings schema`: the JSON Schema that the types are made from;
//! * `btrfs-plan-bindings plans`: plans the requests of standard input, one a line, outside of wasm, for tests that compare
//!   both. Before each answer stands a line with `plan` or `error` and its length in bytes.

use btrfs_planner::Request;
use std::env::args;
use std::io::{self, BufRead, BufWriter, Write, stdin, stdout};
use std::process::ExitCode;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["glue", wasm, folder] => match glue(wasm, folder) {
            Ok(()) => ExitCode::SUCCESS,
            Err(message) => {
                eprintln!("error: {message}");
                ExitCode::FAILURE
            }
        },
        ["schema"] => {
            println!("{}", btrfs_plan_web::schema::everything());
            ExitCode::SUCCESS
        }
        ["plans"] => match plans(&mut stdin().lock(), &mut BufWriter::new(stdout().lock())) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("error: {error}");
                ExitCode::FAILURE
            }
        },
        _ => {
            eprintln!("usage: btrfs-plan-bindings glue WASM FOLDER | schema | plans");
            ExitCode::from(2)
        }
    }
}

fn glue(wasm: &str, folder: &str) -> Result<(), String> {
    let mut bindgen = Bindgen::new();
    let bindgen = bindgen.web(true).map_err(|error| error.to_string())?;
    let bindgen = bindgen.input_path(wasm).typescript(true).out_name("planner").remove_name_section(true);
    bindgen.generate(folder).map_err(|error| format!("{error:#}"))
}

fn plans(requests: &mut dyn BufRead, answers: &mut dyn Write) -> io::Result<()> {
    for line in requests.lines() {
        let plan = Request::from_json(line?.as_bytes()).and_then(|request| btrfs_planner::plan(&request));
        let (kind, text) = match plan {
            Ok(plan) => ("plan", plan.to_json()),
            Err(error) => ("error", error.to_string()),
        };
        writeln!(answers, "{kind} {}", text.len())?;
        answers.write_all(text.as_bytes())?;
    }
    answers.flush()
}
