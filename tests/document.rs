//! The plan document: the same bytes on every way it may travel, and a clear error for every way it may be spoilt.

use btrfs_plan_tests::requests::{self, GIB};
use btrfs_plan_tests::suite::{self, Outcome, case, ensure, fail};
use btrfs_planner::plan::{Block, ByteRange, Part, Payload, PayloadError, Place, PlanProblem, ReadError, WriteAt};
use btrfs_planner::units::{DevId, Physical};
use btrfs_planner::{Plan, Request};
use libtest_mimic::Trial;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::io::Write;
use std::process::{Command, ExitCode, Stdio};

fn main() -> ExitCode {
    let mut cases = vec![
        case("the default plan is small", default_plan_is_small),
        case("jq that rounds large integers is named", rounded_integers_are_named),
        case("the schema describes requests", schema_describes_requests),
    ];
    for (shape, request) in requests::shapes() {
        type Check = fn(&Request, &Plan) -> Outcome;
        let checks: [(&str, Check); 8] = [
            ("same request, same bytes", same_bytes_twice),
            ("JSON brings it back", json_round_trip),
            ("jq brings it back", jq_round_trip),
            ("seal is what jq and sha256sum say", seal_by_jq),
            ("every flipped bit is refused", flipped_bits_are_refused),
            ("cut off anywhere is refused", cut_off_is_refused),
            ("unknown, missing and repeated fields are refused", shape_is_strict),
            ("the schema describes it", schema_describes_plan),
        ];
        for (name, check) in checks {
            let request = request.clone();
            cases.push(case(format!("{shape}: {name}"), move || check(&request, &btrfs_planner::plan(&request)?)));
        }
    }
    cases.extend(unsound_plans());
    suite::run(75, cases)
}

fn default_plan_is_small() -> Outcome {
    let request = Request::new(requests::described(&[10 * GIB]), "small", 1_700_000_000);
    let length = btrfs_planner::plan(&request)?.to_json().len();
    ensure(length < 40 << 10, || format!("it has {length} bytes"))
}

fn same_bytes_twice(request: &Request, plan: &Plan) -> Outcome {
    let again = btrfs_planner::plan(&Request::from_json(request.to_json().as_bytes())?)?;
    ensure(again.to_json() == plan.to_json(), || "a second plan differs".to_owned())
}

fn json_round_trip(_: &Request, plan: &Plan) -> Outcome {
    for text in [plan.to_json(), serde_json::to_string(plan)?, serde_json::to_string_pretty(plan)?] {
        let read = Plan::from_json(text.as_bytes())?;
        ensure(read == *plan && read.to_json() == plan.to_json(), || "another plan was read than written".to_owned())?;
    }
    Ok(())
}

fn jq_round_trip(_: &Request, plan: &Plan) -> Outcome {
    let read = Plan::from_json(&jq(&["."], plan)?)?;
    ensure(read.to_json() == plan.to_json(), || "the plan differs after `jq .`".to_owned())
}

fn seal_by_jq(_: &Request, plan: &Plan) -> Outcome {
    let printed = jq(&["-cjS", "del(.seal)"], plan)?;
    ensure(printed == plan.canonical(), || "the canonical form is not what jq prints".to_owned())?;
    let digest = format!("{:x}", Sha256::digest(&printed));
    ensure(digest == plan.seal.to_string(), || format!("SHA-256 is {digest}, the seal is {}", plan.seal))
}

fn jq(arguments: &[&str], plan: &Plan) -> Outcome<Vec<u8>> {
    let mut jq = Command::new("jq").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let text = plan.to_json();
    let mut input = jq.stdin.take().ok_or("jq has no standard input")?;
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = jq.wait_with_output()?;
    writer.join().map_err(|_| "writing to jq failed")??;
    ensure(output.status.success(), || format!("jq failed with {}", output.status))?;
    Ok(output.stdout)
}

/// jq before 1.7 keeps numbers as doubles. A plan with a device beyond 2^53 bytes loses digits there, and the error has to
/// say what happened. A newer jq brings the plan through.
fn rounded_integers_are_named() -> Outcome {
    let plan =
        btrfs_planner::plan(&Request::new(requests::described(&[(1 << 53) + 4096 * 3]), "large", 1_700_000_000))?;
    let mut rounded = jq(&["."], &plan)?;
    if Plan::from_json(&rounded).is_ok() {
        // Not rounded: do by hand what an older one does. 2^53 + 12288 has 16 digits, jq 1.6 prints 17 significant ones.
        let (exact, coarse) = (((1_u64 << 53) + 12288).to_string(), ((1_u64 << 53) + 8192).to_string());
        rounded = plan.to_json().replace(&exact, &coarse).into_bytes();
    }
    match Plan::from_json(&rounded) {
        Err(error @ (ReadError::Seal { large_integers: true, .. } | ReadError::Shape(_))) => {
            ensure(error.hint().contains("jq"), || format!("the hint does not name jq: {}", error.hint()))
        }
        other => fail(format!("expected a hint at rounding, got {:?}", other.map(|plan| plan.seal))),
    }
}

/// A bit of every third byte, another one each time.
fn flipped_bits_are_refused(_: &Request, plan: &Plan) -> Outcome {
    let text = plan.to_json().into_bytes();
    for (turn, place) in (0..text.len()).step_by(text.len().div_ceil(3000)).enumerate() {
        let mut spoilt = text.clone();
        spoilt[place] ^= 1 << (turn % 8);
        if Plan::from_json(&spoilt).is_ok() {
            return fail(format!("bit {} of byte {place} was flipped, and nobody noticed", turn % 8));
        }
    }
    Ok(())
}

fn cut_off_is_refused(_: &Request, plan: &Plan) -> Outcome {
    let text = plan.to_json().into_bytes();
    // The closing brace and a line feed stand at the end: without the latter it is still whole.
    let last = text.len() - 2;
    for length in (0..last).step_by(101).chain([last - 1, last]) {
        match Plan::from_json(&text[..length]) {
            Err(ReadError::Syntax(_)) => {}
            other => return fail(format!("cut to {length} bytes: {:?}", other.map(|plan| plan.seal))),
        }
    }
    Ok(())
}

fn shape_is_strict(_: &Request, plan: &Plan) -> Outcome {
    let document: Value = serde_json::to_value(plan)?;
    for place in objects(&document) {
        let mut extended = document.clone();
        fields(&mut extended, &place)?.insert("surprise".to_owned(), Value::Null);
        expect_shape_error(&extended.to_string(), &format!("a surprise in {place:?}"))?;

        let names: Vec<String> = fields(&mut extended, &place)?.keys().cloned().collect();
        for name in names.iter().filter(|name| *name != "surprise" && *name != "format") {
            let mut reduced = document.clone();
            fields(&mut reduced, &place)?.remove(name);
            // Facts that a device may not have are left out in documents too; leaving out one it has breaks the seal.
            match Plan::from_json(reduced.to_string().as_bytes()) {
                Err(ReadError::Shape(_)) => {}
                Err(ReadError::Seal { .. }) if place.contains("/found") => {}
                other => {
                    return fail(format!("without {name} in {place:?}: {:?}", other.map(|plan| plan.seal)));
                }
            }
        }
    }
    let text = plan.to_json();
    let repeated = text.replacen("\"chunks\"", "\"chunks\":[],\"chunks\"", 1);
    expect_shape_error(&repeated, "chunks twice")?;
    let size = plan.devices[0].size;
    for number in [format!("{size}.0"), format!("-{size}"), format!("\"{size}\""), "1e400".to_owned()] {
        let changed = text.replacen(&format!("\"size\":{size}"), &format!("\"size\":{number}"), 1);
        match Plan::from_json(changed.as_bytes()) {
            Err(ReadError::Shape(_) | ReadError::Syntax(_)) => {}
            other => return fail(format!("a size of {number}: {:?}", other.map(|plan| plan.seal))),
        }
    }
    let other_format = text.replacen("btrfs-plan/1", "btrfs-plan/2", 1);
    let error = Plan::from_json(other_format.as_bytes()).err();
    ensure(error == Some(ReadError::Format("btrfs-plan/2".to_owned())), || format!("another format: {error:?}"))?;
    let trailing = format!("{text}{{}}");
    ensure(matches!(Plan::from_json(trailing.as_bytes()), Err(ReadError::Syntax(_))), || "two documents".to_owned())
}

fn expect_shape_error(text: &str, what: &str) -> Outcome {
    match Plan::from_json(text.as_bytes()) {
        Err(ReadError::Shape(_)) => Ok(()),
        other => fail(format!("{what}: {:?}", other.map(|plan| plan.seal))),
    }
}

/// JSON pointers to the document itself and to the first object of every kind in it.
fn objects(document: &Value) -> Vec<String> {
    fn collect(value: &Value, place: &str, found: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                found.push(place.to_owned());
                for (name, value) in fields {
                    collect(value, &format!("{place}/{name}"), found);
                }
            }
            Value::Array(elements) => {
                if let Some(first) = elements.first() {
                    collect(first, &format!("{place}/0"), found);
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    collect(document, "", &mut found);
    found
}

fn fields<'a>(document: &'a mut Value, place: &str) -> Outcome<&'a mut serde_json::Map<String, Value>> {
    match document.pointer_mut(place).and_then(Value::as_object_mut) {
        Some(fields) => Ok(fields),
        None => fail(format!("there is no object at {place}")),
    }
}

fn schema_describes_plan(_: &Request, plan: &Plan) -> Outcome {
    describes(&btrfs_planner::plan::plan_schema(), &serde_json::to_value(plan)?)
}

fn schema_describes_requests() -> Outcome {
    let schema = btrfs_planner::plan::request_schema();
    for (name, request) in requests::shapes() {
        describes(&schema, &serde_json::to_value(&request)?).map_err(|error| format!("{name}: {error:?}"))?;
    }
    Ok(())
}

/// Whether a schema accepts a document, and refuses it with a field too many in any of its objects.
fn describes(schema: &str, document: &Value) -> Outcome {
    let validator = jsonschema::validator_for(&serde_json::from_str(schema)?)?;
    if let Err(error) = validator.validate(document) {
        return fail(format!("{error} at {}", error.instance_path()));
    }
    for place in objects(document) {
        let mut extended = document.clone();
        fields(&mut extended, &place)?.insert("surprise".to_owned(), Value::Null);
        ensure(!validator.is_valid(&extended), || format!("it accepts an unknown field in '{place}'"))?;
    }
    Ok(())
}

/// A plan that is sealed, but asks for something that makes no sense.
struct Unsound {
    name: &'static str,
    spoil: fn(&mut Plan),
    is_named: fn(&PlanProblem) -> bool,
}

fn unsound_plans() -> impl Iterator<Item = Trial> {
    UNSOUND.iter().map(|unsound| {
        case(format!("unsound: {}", unsound.name), || {
            let mut request = Request::new(requests::described(&[GIB; 2]), "unsound", 1_700_000_000);
            request.devices[0].discard =
                Some(btrfs_planner::request::DiscardLimits { alignment: 0, granularity: 4096, max_bytes: 1 << 30 });
            let mut plan = btrfs_planner::plan(&request)?;
            plan.check()?;
            (unsound.spoil)(&mut plan);
            plan.seal = plan.expected_seal();
            match Plan::from_json(plan.to_json().as_bytes()) {
                Err(ReadError::Unsound(problem)) if (unsound.is_named)(&problem) => Ok(()),
                other => fail(format!("{:?}", other.map(|plan| plan.seal))),
            }
        })
    })
}

fn write_at(offset: u64, payload: u32) -> WriteAt {
    WriteAt { offset: Physical::new(offset), payload }
}

/// Adds payloads of 1 MiB of zeros, each of which a block refers to.
fn refer_to_zeros(plan: &mut Plan, count: u32) {
    let block = plan.blocks[0].clone();
    for payload in (0..).skip(plan.payloads.len()).take(count as usize) {
        plan.payloads.push(Payload { length: 1 << 20, parts: Vec::new() });
        plan.blocks.push(Block { payload, ..block.clone() });
    }
}

const UNSOUND: &[Unsound] = &[
    Unsound {
        name: "no device",
        spoil: |plan| plan.devices.clear(),
        is_named: |problem| matches!(problem, PlanProblem::NoDevice),
    },
    Unsound {
        name: "devices out of order",
        spoil: |plan| plan.devices.swap(0, 1),
        is_named: |problem| matches!(problem, PlanProblem::DeviceOrder { expected: 1, .. }),
    },
    Unsound {
        name: "a device twice",
        spoil: |plan| plan.devices[1].devid = DevId::new(1),
        is_named: |problem| matches!(problem, PlanProblem::DeviceOrder { expected: 2, .. }),
    },
    Unsound {
        name: "more than the device has",
        spoil: |plan| plan.devices[1].size += 4096,
        is_named: |problem| matches!(problem, PlanProblem::LargerThanDevice { size, found, .. } if size > found),
    },
    Unsound {
        name: "sectors of 513 bytes",
        spoil: |plan| plan.devices[0].found.logical_sector = 513,
        is_named: |problem| matches!(problem, PlanProblem::SectorSize { sector: 513, .. }),
    },
    Unsound {
        name: "an empty range",
        spoil: |plan| plan.devices[0].wipe.push(ByteRange { start: 4096, length: 0 }),
        is_named: |problem| matches!(problem, PlanProblem::Order { list: Place::Wipe, .. }),
    },
    Unsound {
        name: "overlapping ranges in one list",
        spoil: |plan| {
            plan.devices[0].discard =
                vec![ByteRange { start: 0, length: 8192 }, ByteRange { start: 4096, length: 8192 }];
        },
        is_named: |problem| matches!(problem, PlanProblem::Order { list: Place::Discard, start: 4096, .. }),
    },
    Unsound {
        name: "ranges in the wrong order",
        spoil: |plan| {
            plan.devices[0].reset_zones =
                vec![ByteRange { start: 8192, length: 4096 }, ByteRange { start: 0, length: 4096 }];
        },
        is_named: |problem| matches!(problem, PlanProblem::Order { list: Place::ResetZones, start: 0, .. }),
    },
    Unsound {
        name: "a range that reaches out of the device",
        spoil: |plan| plan.devices[0].zero.push(ByteRange { start: GIB - 4096, length: 8192 }),
        is_named: |problem| {
            matches!(
                problem,
                PlanProblem::BeyondLimit { list: Place::Zero, .. } | PlanProblem::Order { list: Place::Zero, .. }
            )
        },
    },
    Unsound {
        name: "a range beyond 64 bits",
        spoil: |plan| plan.devices[0].discard = vec![ByteRange { start: 4096, length: u64::MAX }],
        is_named: |problem| matches!(problem, PlanProblem::BeyondLimit { list: Place::Discard, .. }),
    },
    Unsound {
        name: "a write outside of the device",
        spoil: |plan| plan.devices[1].writes.push(write_at(GIB, 0)),
        is_named: |problem| matches!(problem, PlanProblem::BeyondLimit { list: Place::Writes, .. }),
    },
    Unsound {
        name: "half a sector",
        spoil: |plan| plan.devices[0].wipe = vec![ByteRange { start: 256, length: 512 }],
        is_named: |problem| matches!(problem, PlanProblem::Alignment { list: Place::Wipe, start: 256, .. }),
    },
    Unsound {
        name: "a write twice",
        spoil: |plan| {
            let last = plan.devices[1].writes.last().copied();
            plan.devices[1].writes.extend(last);
        },
        is_named: |problem| matches!(problem, PlanProblem::Order { list: Place::Writes, .. }),
    },
    Unsound {
        name: "a superblock over a tree block",
        spoil: |plan| plan.devices[1].commit[0].offset = plan.devices[1].writes[0].offset,
        is_named: |problem| matches!(problem, PlanProblem::Overlap { .. }),
    },
    Unsound {
        name: "zeros over a tree block",
        spoil: |plan| {
            let start = plan.devices[1].writes[0].offset.get();
            plan.devices[1].zero = vec![ByteRange { start, length: 4096 }];
        },
        is_named: |problem| {
            matches!(
                problem,
                PlanProblem::Overlap { list: Place::Zero, other: Place::Writes, .. }
                    | PlanProblem::Overlap { list: Place::Writes, other: Place::Zero, .. }
            )
        },
    },
    Unsound {
        name: "no superblock",
        spoil: |plan| plan.devices[1].commit.clear(),
        is_named: |problem| matches!(problem, PlanProblem::NoCommit { devid } if devid.get() == 2),
    },
    Unsound {
        name: "a write of a payload that is not there",
        spoil: |plan| {
            let count = plan.payloads.len();
            plan.devices[0].commit[0].payload = u32::try_from(count).unwrap_or(u32::MAX);
        },
        is_named: |problem| matches!(problem, PlanProblem::NoPayload { payload, count, .. } if *payload as usize == *count),
    },
    Unsound {
        name: "a block of a payload that is not there",
        spoil: |plan| plan.blocks[0].payload = u32::MAX,
        is_named: |problem| matches!(problem, PlanProblem::NoBlockPayload { payload: u32::MAX, .. }),
    },
    Unsound {
        name: "a payload whose parts overlap",
        spoil: |plan| {
            let first = plan.payloads[0].parts[0].clone();
            plan.payloads[0].parts.insert(0, first);
        },
        is_named: |problem| matches!(problem, PlanProblem::Payload { index: 0, problem: PayloadError::Order { .. } }),
    },
    Unsound {
        name: "a payload whose part reaches out of it",
        spoil: |plan| {
            let offset = plan.payloads[0].length;
            plan.payloads[0].parts.push(Part { offset, bytes: vec![1] });
        },
        is_named: |problem| matches!(problem, PlanProblem::Payload { index: 0, problem: PayloadError::Range { .. } }),
    },
    Unsound {
        name: "a payload that fills the memory",
        spoil: |plan| plan.payloads.push(Payload { length: 1 << 60, parts: Vec::new() }),
        is_named: |problem| matches!(problem, PlanProblem::PayloadSize { length, .. } if *length == 1 << 60),
    },
    Unsound {
        name: "an empty payload",
        spoil: |plan| plan.payloads.push(Payload { length: 0, parts: Vec::new() }),
        is_named: |problem| matches!(problem, PlanProblem::PayloadSize { length: 0, .. }),
    },
    Unsound {
        name: "a payload that nothing refers to",
        spoil: |plan| plan.payloads.push(Payload { length: 4096, parts: Vec::new() }),
        is_named: |problem| matches!(problem, PlanProblem::UnusedPayload { .. }),
    },
    Unsound {
        name: "payloads far larger than the document",
        spoil: |plan| refer_to_zeros(plan, 64),
        is_named: |problem| matches!(problem, PlanProblem::Expansion { sum, most } if sum > most && *most == 16 << 20),
    },
    Unsound {
        name: "payloads far larger than a long document",
        spoil: |plan| refer_to_zeros(plan, 5000),
        is_named: |problem| matches!(problem, PlanProblem::Expansion { sum, most } if sum > most && *most > 16 << 20),
    },
    Unsound {
        name: "a stripe on a device that is not there",
        spoil: |plan| plan.chunks[0].stripes[0].devid = DevId::new(3),
        is_named: |problem| matches!(problem, PlanProblem::StripeDevice { devid, .. } if devid.get() == 3),
    },
    Unsound {
        name: "a stripe on device 0",
        spoil: |plan| plan.chunks[0].stripes[0].devid = DevId::new(0),
        is_named: |problem| matches!(problem, PlanProblem::StripeDevice { devid, .. } if devid.get() == 0),
    },
];
