//! Queued output is bounded, a stopped writer ends all threads, and no thread waits forever.

use super::*;
use crate::cli::Exit;
use crate::cli::args::Args;
use clap::Parser;
use std::io::ErrorKind;

const MOST: usize = 300 << 10;

/// Prints far more than the queue holds, as the input of this number.
fn long(mut lane: Lane<'_>, number: usize) -> io::Result<()> {
    let text = vec![b'0' + u8::try_from(number).unwrap(); 5 * MOST];
    lane.write_all(&text)?;
    lane.send(LaneMessage::Done(Ok(Outcome::default())))
}

#[test]
fn early_output_is_buffered_up_to_a_limit() {
    let budget = OutputBudget::new(MOST, 0);
    let printed = Mutex::new(Vec::new());
    let mut out = Out(&printed);
    let mut most = 0;
    thread::scope(|scope| {
        let _closing = budget.closing();
        let (lanes, receivers): (Vec<_>, Vec<_>) = (0..3).map(|number| Lane::new(&budget, number, out)).unzip();
        // Those that come last begin first, and fill the budget.
        for (number, lane) in lanes.into_iter().enumerate().rev() {
            scope.spawn(move || long(lane, number));
        }
        while budget.waits() < MOST / 2 {
            thread::yield_now();
        }
        for (number, receivers) in receivers.into_iter().enumerate() {
            budget.turn_to(number);
            for message in &receivers {
                most = most.max(budget.waits());
                let weight = message.weight();
                if let LaneMessage::Printed(more) = message {
                    out.write_all(&more).unwrap();
                }
                receivers.is_out(&budget, weight);
            }
        }
    });
    assert_eq!(budget.waits(), 0);
    assert!((MOST / 2..MOST + (1 << 20)).contains(&most), "{most}");
    let expected: Vec<u8> = (b'0'..b'3').flat_map(|digit| vec![digit; 5 * MOST]).collect();
    let printed = printed.into_inner().unwrap();
    assert!(printed == expected, "{} bytes", printed.len());
}

#[test]
fn producers_stop_when_the_consumer_is_dropped() {
    let budget = OutputBudget::new(MOST, 0);
    let printed = Mutex::new(Vec::new());
    let (lane, _receivers) = Lane::new(&budget, 1, Out(&printed));
    let ended = thread::scope(|scope| {
        let closing = budget.closing();
        let writer = scope.spawn(|| long(lane, 1));
        while budget.waits() < MOST / 2 {
            thread::yield_now();
        }
        drop(closing);
        writer.join().unwrap()
    });
    assert_eq!(ended.unwrap_err().kind(), ErrorKind::BrokenPipe);
}

#[test]
fn an_abandoned_input_ends_the_run() {
    let args = Args::try_parse_from(["proto-dissect", "-l", "a", "b", "c"]).unwrap();
    let sources = Source::all(&args.files, &args.reading);
    let plan = Plan::new(&args.output, true, false).unwrap();
    let budget = OutputBudget::new(MOST, 0);
    let printed = Mutex::new(Vec::new());
    let (lanes, in_order) = channel();
    for number in 0..3 {
        let (mut lane, receivers) = Lane::new(&budget, number, Out(&printed));
        lanes.send(receivers).unwrap();
        // The second is left as by a panic.
        lane.send(LaneMessage::Printed(vec![b'x'])).unwrap();
        if number != 1 {
            lane.send(LaneMessage::Done(Ok(Outcome { read: Exit::Damaged, taken: 1, ..Outcome::default() }))).unwrap();
        }
    }
    let mut outcome = Outcome::default();
    write_all_in_order(&sources, &in_order, &budget, &plan, Out(&printed), &mut outcome).unwrap();
    assert_eq!((outcome.taken, outcome.read), (1, Exit::Damaged));
    assert_eq!(printed.into_inner().unwrap(), b"xx");
}

#[test]
fn only_whole_inputs_are_read_at_the_same_time() {
    let readers_of = |files: &[&str], threads| {
        let args = Args::try_parse_from(["proto-dissect"].iter().chain(files)).unwrap();
        readers(&Source::all(&args.files, &args.reading), threads)
    };
    let (one, two) = ("samples/pipboy.pcap", "samples/vscp.pcap");
    assert_eq!(readers_of(&[one, two, one, two], 3), 3);
    assert_eq!(readers_of(&[one, two], 8), 2);
    assert_eq!(readers_of(&[one, "no-such-file", two], 8), 2);
    assert_eq!(readers_of(&[one, two], 1), 1);
    assert_eq!(readers_of(&[one, "no-such-file"], 2), 1);
    assert_eq!(readers_of(&[one, "-", two], 2), 1);
    assert_eq!(readers_of(&["--hex", "00"], 2), 1);
}
