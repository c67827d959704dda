//! Which view answers a question: messages, or packets where single frames are asked for.

use super::Exit;
use super::args::{Form, Output};
use super::complain;
use super::counted::Counted;
use super::outcome::Outcome;
use super::source::Source;
use crate::record::{Scope, View};

/// The view of a run, and why it was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) view: View,
    why: Why,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    /// `--packets` or `--messages`.
    Option,
    /// Nothing asks for frames.
    Default,
    /// The filter names fields of frames alone.
    Filter,
    /// No column is of an application.
    Columns,
    /// The form is one of tshark, which prints frames.
    Form,
    /// Frames are written and the filter names nothing of an application.
    Written,
}

impl Choice {
    /// The view for a filter and columns, by what their names are about.
    pub(super) fn new(output: &Output, filter: Option<Scope>, columns: Option<Scope>) -> Choice {
        let mut all = filter.unwrap_or_default();
        all.add(columns.unwrap_or_default());
        let is_free_of_messages = |scope: Scope| !scope.messages;
        let (view, why) = match (output.packets, output.messages) {
            (true, _) => (View::Packets, Why::Option),
            (_, true) => (View::Messages, Why::Option),
            _ if output.form.is_some_and(Form::is_of_frames) => (View::Packets, Why::Form),
            _ if all.messages_only => (View::Messages, Why::Default),
            _ if filter.is_some_and(|scope| scope.frames && !scope.messages) => (View::Packets, Why::Filter),
            _ if columns.is_some_and(is_free_of_messages) => (View::Packets, Why::Columns),
            _ if output.write.is_some() && filter.is_some_and(is_free_of_messages) => (View::Packets, Why::Written),
            _ => (View::Messages, Why::Default),
        };
        Choice { view, why }
    }

    /// Whether nothing asks for one view or the other.
    pub(super) fn is_default(self) -> bool {
        self.why == Why::Default
    }

    /// Reports which view was printed and what the other one holds, or why nothing was printed; and behind the messages of
    /// one source that are mostly of unknown format, how to take them apart.
    pub(super) fn explain(self, output: &Output, outcome: &Outcome, sources: &[Source]) {
        if outcome.read == Exit::CannotOpen || outcome.read == Exit::NotACapture {
            return;
        }
        let is_whole = output.count.is_none() && output.numbers.is_none();
        match outcome.taken {
            0 if output.count != Some(0) => complain(format_args!("{}", self.nothing(output, outcome))),
            _ if self.why == Why::Option => {}
            taken => complain(format_args!("{}", self.taken(taken, outcome.frames, is_whole))),
        }
        if let (View::Messages, true, None, [source]) = (self.view, is_whole, &output.filter, sources)
            && let Some(hint) = outcome.unexplained.hint(outcome.messages, source)
        {
            complain(format_args!("{hint}"));
        }
    }

    /// What was printed, and what the other view has.
    fn taken(self, taken: u64, frames: u64, is_whole: bool) -> String {
        let reason = match self.why {
            Why::Filter => "the filter is about frames",
            Why::Columns => "no column is of an application",
            Why::Written => "frames are written",
            Why::Form => "the form is one of frames",
            Why::Option | Why::Default => "",
        };
        match (self.view, is_whole) {
            (View::Packets, _) => {
                format!("{}, because {reason}; --messages shows messages of applications", Counted(taken, "packet"))
            }
            (View::Messages, true) => format!("{}; --packets shows all {}", Counted(taken, "message"), Counted(frames, "frame")),
            (View::Messages, false) => format!("{}; --packets shows frames", Counted(taken, "message")),
        }
    }

    /// Why nothing was printed.
    fn nothing(self, output: &Output, outcome: &Outcome) -> String {
        let (frames, messages) = (Counted(outcome.frames, "frame"), Counted(outcome.messages, "message"));
        let all = if self.view == View::Packets { &frames } else { &messages };
        match (&output.numbers, &output.filter) {
            _ if outcome.frames == 0 => "the input has no frames".into(),
            _ if self.view == View::Messages && outcome.messages == 0 => format!("{frames}, no messages; try --packets"),
            (Some(numbers), _) => format!("--number {numbers}: the capture has {all}"),
            (None, Some(_)) if self.view == View::Messages => format!("no match in {messages}; --packets tests all {frames}"),
            (None, Some(_)) => format!("no match in {frames}"),
            (None, None) => format!("--skip {}: the capture has {all}", output.skip),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::args::Args;
    use super::super::forms::Plan;
    use super::super::record_selection::RecordSelection;
    use super::*;
    use clap::Parser;

    /// The view of a command line.
    fn view(words: &[&str]) -> View {
        let args = Args::try_parse_from(["proto-dissect"].iter().chain(words)).unwrap();
        let plan = Plan::new(&args.output, false, false).unwrap();
        RecordSelection::new(&args.output, plan.scope()).unwrap().view()
    }

    #[test]
    fn questions_about_frames_are_answered_with_packets() {
        let packets: &[&[&str]] = &[
            &["-Y", "tcp.analysis.retransmission"],
            &["-Y", "tcp.flags.reset==1 and ip.addr==10.0.0.1"],
            &["-Y", "frame.len > 100", "--json"],
            &["-e", "frame.len"],
            &["-e", "ip.src", "-e", "tcp.port", "-T", "csv"],
            &["-Y", "dns", "-e", "frame.number"],
            &["-Y", "ip.addr == 10.0.0.1", "-w", "a.pcap"],
            &["-Y", "pipboy", "--packets"],
        ];
        let messages: &[&[&str]] = &[
            &[],
            &["-Y", "ip.addr == 10.0.0.1 and tcp.stream == 0"],
            &["-Y", "frame.len > 100 and pipboy"],
            &["-Y", "arp"],
            &["-e", "frame.len", "-e", "message.name"],
            &["-e", "frame.len", "-Y", "message.name == \"list\""],
            &["-e", "frame.len", "--messages"],
            &["-Y", "dns", "-w", "a.pcap"],
        ];
        for words in packets {
            assert_eq!(view(words), View::Packets, "{words:?}");
        }
        for words in messages {
            assert_eq!(view(words), View::Messages, "{words:?}");
        }
    }
}
