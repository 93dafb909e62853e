//! Reading plans with the program: what it shows, in every form, and what it does with wrong questions and hostile texts.
//!
//! Texts are compared with files in `show/`. After a wanted change, run with `UPDATE_SNAPSHOTS=1` and look at the diff.

use btrfs_plan_tests::loops::{LoopSet, scratch};
use btrfs_plan_tests::programs::{Ran, ours, run};
use btrfs_plan_tests::requests::{GIB, described, shapes};
use btrfs_plan_tests::suite::{self, Outcome, case, ensure, fail, root_case};
use btrfs_planner::Request;
use btrfs_planner::request::{DeviceKind, Signature, Zones};
use libtest_mimic::Trial;
use std::path::Path;
use std::process::ExitCode;

const REFUSED: i32 = 3;
const USAGE: i32 = 2;

fn main() -> ExitCode {
    let mut cases = snapshots();
    cases.extend(forms());
    cases.extend(wrong_questions());
    cases.extend(comparisons());
    suite::run(50, cases)
}

/// A plan in a file, and the program to ask about it.
struct Asked {
    folder: tempfile::TempDir,
}

impl Asked {
    fn new(request: &Request) -> Outcome<Self> {
        let folder = scratch()?;
        std::fs::write(folder.path().join("plan.json"), btrfs_planner::plan(request)?.to_json())?;
        Ok(Self { folder })
    }

    /// `btrfs-plan` in the plan's folder, whatever the environment of the tests.
    fn ask(&self, arguments: &str, locale: &str) -> Outcome<Ran> {
        let mut command = ours("btrfs-plan")?;
        command.args(arguments.split_whitespace()).current_dir(self.folder.path());
        for name in ["LC_ALL", "LC_CTYPE", "NO_COLOR", "COLUMNS"] {
            command.env_remove(name);
        }
        run(command.env("LANG", locale))
    }

    fn answer(&self, arguments: &str) -> Outcome<String> {
        Ok(self.ask(arguments, "C.UTF-8")?.success()?.text())
    }
}

fn zoned() -> Request {
    let mut device = described(&[64 * GIB]).remove(0);
    device.zones = Some(Zones::described(64 * GIB, 256 << 20, Some(192 << 20), 4));
    let mut request = Request::new(vec![device], "zoned", 1_700_000_000);
    request.features = vec!["zoned".parse().unwrap_or_else(|_| unreachable!("there is such a feature"))];
    request
}

fn shape(name: &str) -> Outcome<Request> {
    match shapes().into_iter().find(|(other, _)| *other == name) {
        Some((_, request)) => Ok(request),
        None if name == "zoned" => Ok(zoned()),
        None => fail(format!("there is no shape '{name}'")),
    }
}

/// Which plan, what is asked, and the file that holds the answer.
const SNAPSHOTS: [(&str, &str, &str); 12] = [
    ("one device", "show --ascii plan.json", "one-device-ascii"),
    ("one device", "show plan.json", "one-device"),
    ("probed device with a signature", "show plan.json", "probed"),
    ("parity", "show --width 100 plan.json", "parity-100-columns"),
    ("mixed", "show plan.json", "mixed"),
    ("zoned", "show plan.json", "zoned"),
    ("one device", "show --device 1 plan.json", "device"),
    ("parity", "show --device 3 plan.json", "device-with-parity"),
    ("label", "show --tree root plan.json", "tree-root"),
    ("one device", "show --tree chunk plan.json", "tree-chunk"),
    ("one device", "show --block 22020096 plan.json", "block"),
    ("label", "show --superblock 2 plan.json", "superblock"),
];

fn snapshots() -> Vec<Trial> {
    let one = |(name, question, file): (&'static str, &'static str, &'static str)| {
        case(format!("{name}: {question}"), move || {
            let asked = Asked::new(&shape(name)?)?;
            let text = asked.answer(question)?;
            let widest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
            let room = if question.contains("--width 100") { 100 } else { 80 };
            // A line of a tree or a block may be as long as the value in it.
            let bounded = !question.contains("--tree") && !question.contains("block");
            ensure(widest <= room || !bounded, || format!("a line has {widest} columns"))?;
            compare(file, &without_seal(&text))
        })
    };
    SNAPSHOTS.into_iter().map(one).collect()
}

/// The seal changes with every byte of a plan; nobody reads it.
fn without_seal(text: &str) -> String {
    let word = |line: &str| match line.strip_prefix("  seal ") {
        Some(_) => "  seal          (left out)\n".to_owned(),
        None => format!("{line}\n"),
    };
    text.lines().map(word).collect()
}

fn compare(file: &str, text: &str) -> Outcome {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("show").join(format!("{file}.txt"));
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, text)?;
    }
    let expected = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    if expected == text {
        return Ok(());
    }
    let apart = expected.lines().zip(text.lines()).position(|(expected, text)| expected != text);
    let line = apart.unwrap_or_else(|| expected.lines().count().min(text.lines().count()));
    let of = |text: &str| text.lines().nth(line).unwrap_or("(nothing)").to_owned();
    fail(format!("{}, line {}:\n- {}\n+ {}", path.display(), line + 1, of(&expected), of(text)))
}

/// Texts that would like to be something else.
const LABEL: &str = "<script>alert(1)</script>&\"' \u{202e}\u{2028}";
const MODEL: &str = "]]><img src=http://example.com/x>\u{202e}";

fn hostile() -> Request {
    let mut request = shapes().remove(0).1;
    request.label = LABEL.to_owned();
    request.force = true;
    let device = &mut request.devices[0];
    device.kind = DeviceKind::Block;
    device.path = Some("/dev/a\nerror: \u{9b}31m".to_owned());
    device.model = Some(MODEL.to_owned());
    device.serial = Some("'\"<&>\r\u{2028}".to_owned());
    device.signatures = vec![Signature {
        kind: "ext4\u{1b}]0;x\u{7}".to_owned(),
        label: Some("</title></style><b>".to_owned()),
        length: 2,
        offset: 1080,
        usage: "\u{0}usage".to_owned(),
        uuid: Some("--><!--".to_owned()),
    }];
    request
}

fn harmless(text: &str) -> Outcome {
    let turns = |character| matches!(character, '\u{202a}'..='\u{202e}' | '\u{2028}' | '\u{2029}');
    let bad = text.chars().find(|character| character.is_control() && *character != '\n' || turns(*character));
    ensure(bad.is_none(), || format!("{bad:?} is left in: {text}"))
}

/// A document that a strict parser takes, that asks for nothing and runs nothing.
fn quiet_document(text: &str) -> Outcome {
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..roxmltree::ParsingOptions::default() };
    let document = roxmltree::Document::parse_with_options(text, options)?;
    for node in document.descendants() {
        let name = node.tag_name().name();
        ensure(!["script", "img", "link", "iframe", "object", "use", "image", "a"].contains(&name), || {
            format!("there is an element '{name}'")
        })?;
        for attribute in node.attributes() {
            ensure(!attribute.name().starts_with("on") && !["href", "src"].contains(&attribute.name()), || {
                format!("there is an attribute '{}'", attribute.name())
            })?;
            let value = attribute.value();
            ensure(!value.contains("url(") || value.starts_with("url(#"), || format!("there is the value '{value}'"))?;
        }
    }
    // Style sheets of ours, and nothing in them from anywhere else.
    for style in document.descendants().filter(|node| node.has_tag_name("style")) {
        let text = style.text().unwrap_or_default();
        ensure(!text.contains("url(") && !text.contains("@import"), || "a style sheet asks for something".to_owned())?;
    }
    harmless(text)
}

fn forms() -> Vec<Trial> {
    let mut trials = Vec::new();
    let names: Vec<&str> = shapes().into_iter().map(|(name, _)| name).chain(["zoned", "hostile"]).collect();
    for name in names {
        let of = move || if name == "hostile" { Ok(hostile()) } else { shape(name) };
        trials.push(case(format!("{name}: SVG and HTML are well-formed and load nothing"), move || {
            let asked = Asked::new(&of()?)?;
            let svg = asked.answer("show --svg plan.json")?;
            quiet_document(&svg)?;
            ensure(svg.contains("<title") && svg.contains("<desc"), || "the map has no words".to_owned())?;
            let html = asked.answer("show --html plan.json")?;
            quiet_document(&html)?;
            ensure(!html.contains("xmlns"), || "the report has a namespace".to_owned())
        }));
        trials.push(case(format!("{name}: documents have the parts that are documented"), move || {
            documents(&Asked::new(&of()?)?)
        }));
    }
    trials.push(case("hostile texts are harmless in every text", || {
        let asked = Asked::new(&hostile())?;
        for question in ["", "--device 1", "--tree fs", "--superblock 1", "--ascii"] {
            let text = asked.answer(&format!("show {question} plan.json"))?;
            harmless(&text)?;
            ensure(!text.contains("\nerror:"), || "a path made a line of its own".to_owned())?;
        }
        let html = asked.answer("show --html plan.json")?;
        let document = roxmltree::Document::parse_with_options(
            &html,
            roxmltree::ParsingOptions { allow_dtd: true, ..roxmltree::ParsingOptions::default() },
        )?;
        let title = document.descendants().find(|node| node.has_tag_name("title")).and_then(|node| node.text());
        ensure(title.is_some_and(|title| title.contains("<script>alert(1)</script>&\"' \\u{202e}\\u{2028}")), || {
            format!("the title is {title:?}")
        })
    }));
    trials.push(case("colours only where they are wanted, and only colours", || {
        let asked = Asked::new(&hostile())?;
        let plain = asked.answer("show plan.json")?;
        ensure(!plain.contains('\u{1b}'), || "a pipe gets colours".to_owned())?;
        let painted = asked.answer("show --color always plan.json")?;
        let mut rest = String::new();
        for part in painted.split('\u{1b}') {
            let end = part.find('m').filter(|end| {
                part.starts_with('[') && part[1..*end].chars().all(|letter| letter.is_ascii_digit() || letter == ';')
            });
            rest.push_str(end.map_or(part, |end| &part[end + 1..]));
        }
        ensure(painted.contains("\u{1b}[1m") && rest == plain, || "colours say more than the text".to_owned())?;
        let never = asked.answer("show --color never plan.json")?;
        ensure(never == plain, || "--color never is not plain".to_owned())
    }));
    trials.push(case("ASCII where the locale is not UTF-8, or it is wished", || {
        let asked = Asked::new(&shape("one device")?)?;
        let by_locale = asked.ask("show plan.json", "C")?.success()?.text();
        let by_wish = asked.answer("show --ascii plan.json")?;
        ensure(by_locale == by_wish && by_wish.is_ascii(), || "it is not ASCII".to_owned())?;
        ensure(!asked.answer("show plan.json")?.is_ascii(), || "it is ASCII everywhere".to_owned())
    }));
    trials.push(case("the plan itself comes through show --plan", || {
        let asked = Asked::new(&shape("parity")?)?;
        let plan = std::fs::read_to_string(asked.folder.path().join("plan.json"))?;
        ensure(asked.answer("show --plan plan.json")? == plan, || "it is another one".to_owned())
    }));
    trials.push(case("-o writes what would have been printed", || {
        let asked = Asked::new(&shape("mixed")?)?;
        let printed = asked.answer("show --html plan.json")?;
        let nothing = asked.answer("show --html -o report.html plan.json")?;
        let written = std::fs::read_to_string(asked.folder.path().join("report.html"))?;
        ensure(nothing.is_empty() && written == printed, || "they differ".to_owned())
    }));
    trials.push(root_case("-o never writes over a device", || {
        let loops = LoopSet::new(&[64 << 20])?;
        let asked = Asked::new(&shape("mixed")?)?;
        let ran = asked.ask(&format!("show -o {} plan.json", loops.paths()[0]), "C")?;
        ensure(ran.code == Some(REFUSED) && ran.stderr.contains("is a device"), || ran.stderr.clone())?;
        let bytes = std::fs::read(loops.devices()[0].backing())?;
        ensure(bytes.iter().all(|byte| *byte == 0), || "something was written".to_owned())
    }));
    trials
}

/// The parts of each view, as docs/reading.md has them.
const PARTS: [(&str, &str, &[&str]); 5] = [
    (
        "",
        "overview",
        &["chunks", "devices", "discard", "filesystem", "planner", "seal", "statistics", "trees", "view", "warnings"],
    ),
    ("--tree fs", "tree", &["blocks", "tree", "view"]),
    ("--superblock 1", "superblock", &["bytes", "decoded", "devid", "offset", "view"]),
    (
        "--device 1",
        "device",
        &["commit", "discard", "extents", "overview", "reset_zones", "view", "wipe", "writes", "zero"],
    ),
    ("--block", "block", &["block", "bytes", "chunk", "copies", "decoded", "view"]),
];

fn documents(asked: &Asked) -> Outcome {
    let plan: serde_json::Value = serde_json::from_slice(&std::fs::read(asked.folder.path().join("plan.json"))?)?;
    for (question, view, parts) in PARTS {
        let question = match question {
            "--block" => format!("--block {}", plan["blocks"][0]["logical"]),
            _ => question.to_owned(),
        };
        let text = asked.answer(&format!("show --json {question} plan.json"))?;
        let document: serde_json::Value = serde_json::from_str(&text)?;
        ensure(document["view"] == view, || format!("{question}: the view is {}", document["view"]))?;
        let names: Vec<&str> =
            document.as_object().map(|object| object.keys().map(String::as_str).collect()).unwrap_or_default();
        let mut parts = parts.to_vec();
        parts.sort_unstable();
        let mut names = names;
        names.sort_unstable();
        ensure(names == parts, || format!("{question}: there are {names:?}"))?;
    }
    let text = asked.answer("show --json plan.json")?;
    let overview: serde_json::Value = serde_json::from_str(&text)?;
    ensure(overview["seal"] == plan["seal"], || "it is another seal".to_owned())?;
    for device in overview["devices"].as_array().into_iter().flatten() {
        let spans = device["map"].as_array().into_iter().flatten();
        let covered: u64 = spans.filter_map(|span| span["length"].as_u64()).sum();
        ensure(Some(covered) == device["found"]["size"].as_u64(), || format!("the map covers {covered} bytes"))?;
    }
    Ok(())
}

fn wrong_questions() -> Vec<Trial> {
    let questions: [(&str, i32, &[&str]); 17] = [
        ("show --tree nosuch plan.json", REFUSED, &["no tree 'nosuch'", "block-group", "hint"]),
        ("show --block 12345 plan.json", REFUSED, &["starts at 12345", "22020096"]),
        ("show --block 0xfffffffffffff000 plan.json", REFUSED, &["the nearest one starts at"]),
        ("show --device 9 plan.json", REFUSED, &["no device 9", "1 to 1"]),
        ("show --superblock 0 plan.json", REFUSED, &["no device 0"]),
        ("show --tree fs --block 1 plan.json", USAGE, &["cannot be used with"]),
        ("show --svg --tree fs plan.json", USAGE, &["cannot be used with"]),
        ("show --svg --json plan.json", USAGE, &["cannot be used with"]),
        ("show --block x plan.json", USAGE, &["--block"]),
        ("show --width 3 plan.json", USAGE, &["--width"]),
        ("show missing.json", REFUSED, &["missing.json"]),
        ("show", USAGE, &["<PLAN>"]),
        ("minimum -d raid1 --devices 1", REFUSED, &["needs at least 2 devices"]),
        ("minimum -O remap-tree", REFUSED, &["remap-tree", "--experimental"]),
        ("minimum --devices 0", USAGE, &["0"]),
        ("capacity", USAGE, &["no device is given"]),
        ("capacity --plan plan.json size=1G", USAGE, &["cannot be used with"]),
    ];
    let one = |(question, code, words): (&'static str, i32, &'static [&'static str])| {
        case(format!("refused: {question}"), move || {
            let ran = Asked::new(&shape("one device")?)?.ask(question, "C")?;
            ensure(ran.code == Some(code), || format!("it ended with {:?}\n{}", ran.code, ran.stderr))?;
            for word in words {
                ensure(ran.stderr.contains(word), || format!("'{word}' is not in: {}", ran.stderr))?;
            }
            ensure(ran.stdout.is_empty(), || "something was printed".to_owned())
        })
    };
    questions.into_iter().map(one).collect()
}

fn comparisons() -> Vec<Trial> {
    let pair = |change: fn(&mut Request)| -> Outcome<Asked> {
        let asked = Asked::new(&shape("label")?)?;
        let mut other = shape("label")?;
        change(&mut other);
        std::fs::write(asked.folder.path().join("other.json"), btrfs_planner::plan(&other)?.to_json())?;
        Ok(asked)
    };
    vec![
        case("diff of a plan with itself ends with 0", move || {
            let ran = pair(|_| {})?.ask("diff plan.json other.json", "C")?;
            ensure(ran.code == Some(0) && ran.text() == "the plans are the same\n", || ran.text())
        }),
        case("diff of two plans ends with 1 and says what changed", move || {
            let asked = pair(|request| request.devices[1].size = 20 * GIB)?;
            let ran = asked.ask("diff plan.json other.json", "C")?;
            let text = ran.text();
            let line = "  device 2: size: 10.00GiB (10737418240) -> 20.00GiB (21474836480)\n";
            ensure(ran.code == Some(1) && text.contains(line), || text.clone())?;
            ensure(!text.contains("Identity"), || text.clone())?;
            let ran = asked.ask("diff --json plan.json other.json", "C")?;
            let document: serde_json::Value = serde_json::from_slice(&ran.stdout)?;
            ensure(ran.code == Some(1) && document["same"] == false && document["view"] == "diff", || ran.text())
        }),
        case("diff: hostile texts are harmless", || {
            let asked = Asked::new(&shape("one device")?)?;
            std::fs::write(asked.folder.path().join("other.json"), btrfs_planner::plan(&hostile())?.to_json())?;
            harmless(&asked.ask("diff plan.json other.json", "C.UTF-8")?.text())
        }),
        case("diff takes one plan from standard input at most", move || {
            let ran = pair(|_| {})?.ask("diff - -", "C")?;
            ensure(ran.code == Some(USAGE) && ran.stderr.contains("only one"), || ran.stderr.clone())?;
            let ran = pair(|_| {})?.ask("diff plan.json missing.json", "C")?;
            ensure(ran.code == Some(REFUSED), || ran.stderr.clone())
        }),
        case("the minimum as a document", || {
            let asked = Asked::new(&shapes().remove(0).1)?;
            for (options, size, devices) in [
                ("", 114_294_784_u64, 1),
                ("-m single", 47_185_920, 1),
                ("-M", 16 << 20, 1),
                ("-d raid1", 72_351_744 + (56 << 20), 2),
                ("--devices 3", 72_351_744, 3),
                ("--zone 256M", 12 << 28, 1),
            ] {
                let document: serde_json::Value =
                    serde_json::from_str(&asked.answer(&format!("minimum {options} --json"))?)?;
                let found = (document["device_size"].as_u64(), document["devices"].as_u64());
                ensure(found == (Some(size), Some(devices)), || format!("{options}: {document}"))?;
                ensure(document["view"] == "minimum", || document.to_string())?;
                let text = asked.answer(&format!("minimum {options}"))?;
                ensure(text.contains(&format!("({size})")), || text)?;
            }
            Ok(())
        }),
        case("capacity of a plan, of a request and of options is the same", || {
            let options = "--seed x --time 1 -d raid1 size=2T size=3T size=4T";
            let asked = Asked::new(&shape("one device")?)?;
            let plan = asked.answer(&format!("-q {options}"))?;
            std::fs::write(asked.folder.path().join("plan.json"), plan)?;
            let request = asked.answer(&format!("--print-request {options}"))?;
            std::fs::write(asked.folder.path().join("request.json"), request)?;
            let by_options = asked.answer(&format!("capacity {options}"))?;
            ensure(by_options.contains("the loss of any 1 device"), || by_options.clone())?;
            ensure(by_options.lines().all(|line| line.chars().count() <= 80), || by_options.clone())?;
            for question in ["capacity --plan plan.json", "capacity --request request.json"] {
                let answer = asked.answer(question)?;
                ensure(answer == by_options, || format!("{question} says\n{answer}"))?;
            }
            let document: serde_json::Value = serde_json::from_str(&asked.answer("capacity --json --plan plan.json")?)?;
            ensure(document["view"] == "capacity" && document["data"].as_u64() > Some(4_900_000_000_000), || {
                document.to_string()
            })
        }),
    ]
}
