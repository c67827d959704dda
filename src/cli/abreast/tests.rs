//! What waits is bounded, what is left ends everything, and nobody waits for ever.

use super::super::Exit;
use super::super::args::Args;
use super::*;
use clap::Parser;
use std::io::ErrorKind;
use std::sync::atomic::{AtomicUsize, Ordering};

const MOST: usize = 300 << 10;

/// A writer that is far longer than what may wait, for the input of this number.
fn long(room: &Room, number: usize, to: Sender<Said>) -> io::Result<()> {
    let mut lane = Lane::new(room, number, to);
    let text = vec![b'0' + u8::try_from(number).unwrap(); 5 * MOST];
    lane.write_all(&text)?;
    lane.say(Said::Done(Ok(Outcome::default())))
}

#[test]
fn what_comes_too_early_waits_and_is_bounded() {
    let room = Room::new(MOST, 0);
    let waiting = AtomicUsize::new(0);
    let (lanes, read): (Vec<_>, Vec<_>) = (0..3).map(|_| channel()).unzip();
    let printed: Vec<Vec<u8>> = thread::scope(|scope| {
        let _closing = room.closing();
        let lanes: Vec<_> = lanes.into_iter().enumerate().collect();
        // Those that come last begin first, and fill the room.
        for (number, to) in lanes.into_iter().rev() {
            let room = &room;
            scope.spawn(move || long(room, number, to));
        }
        let all = read.iter().enumerate().map(|(number, lane)| {
            room.turn_to(number);
            let mut text = Vec::new();
            for said in lane {
                waiting.fetch_max(room.waits(), Ordering::Relaxed);
                room.free(&said);
                if let Said::Printed(more) = said {
                    text.extend(more);
                }
            }
            text
        });
        all.collect()
    });
    for (number, text) in (0..).zip(printed) {
        assert!(text == vec![b'0' + number; 5 * MOST], "{number}: {} bytes", text.len());
    }
    assert_eq!(room.waits(), 0);
    assert!(waiting.into_inner() <= MOST + (1 << 20));
}

#[test]
fn nobody_waits_for_a_listener_that_has_gone() {
    let room = Room::new(MOST, 0);
    let (to, _read) = channel();
    let ended = thread::scope(|scope| {
        let closing = room.closing();
        let writer = scope.spawn(|| long(&room, 1, to));
        while room.waits() < MOST / 2 {
            thread::yield_now();
        }
        drop(closing);
        writer.join().unwrap()
    });
    assert_eq!(ended.unwrap_err().kind(), ErrorKind::BrokenPipe);
}

#[test]
fn an_input_that_is_left_in_the_middle_ends_everything() {
    let args = Args::try_parse_from(["proto-dissect", "-l", "a", "b", "c"]).unwrap();
    let sources = Source::all(&args.files, &args.reading);
    let plan = Plan::new(&args.output, true).unwrap();
    let room = Room::new(MOST, 0);
    let (lanes, in_order) = channel();
    for number in 0..3 {
        let (to, lane) = channel();
        let mut from = Lane::new(&room, number, to);
        lanes.send(lane).unwrap();
        // The second is left as by a panic.
        from.say(Said::Complaint(String::from("one"))).unwrap();
        if number != 1 {
            from.say(Said::Done(Ok(Outcome { read: Exit::Damaged, taken: 1, ..Outcome::default() }))).unwrap();
        }
    }
    let mut outcome = Outcome::default();
    put_out(&sources, &in_order, &room, &plan, Box::new(io::sink()), &mut outcome).unwrap();
    assert_eq!((outcome.taken, outcome.read), (1, Exit::Damaged));
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
