//! Selects the view: messages, or packets if the request refers to single frames.

use super::Exit;
use super::args::{Form, Output};
use super::counted::Counted;
use super::outcome::Outcome;
use super::print_error;
use super::source::Source;
use crate::record::{Scope, View};

/// The view of a run, and the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) view: View,
    why: Why,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    /// `--packets` or `--messages`.
    Option,
    /// Default.
    Default,
    /// The filter has packet fields only.
    Filter,
    /// The columns have packet fields only.
    Columns,
    /// The format is one of tshark's, which prints packets.
    Form,
    /// `-w` without application fields in the filter.
    Written,
}

impl Choice {
    /// Selects the view by the scope of filter and columns.
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

    /// Whether the view is the default one.
    pub(super) fn is_default(self) -> bool {
        self.why == Why::Default
    }

    /// Reports the printed view and the content of the other one, or why nothing was printed. Suggests `explore` for a source with
    /// mostly messages of unknown format.
    pub(super) fn explain(self, output: &Output, outcome: &Outcome, sources: &[Source]) {
        if outcome.read == Exit::CannotOpen || outcome.read == Exit::NotACapture {
            return;
        }
        let is_whole = output.count.is_none() && output.numbers.is_none();
        match outcome.taken {
            0 if output.count != Some(0) => print_error(format_args!("{}", self.empty_reason(output, outcome))),
            _ if self.why == Why::Option => {}
            taken => print_error(format_args!("{}", self.taken(taken, outcome.frames, is_whole))),
        }
        if self.view == View::Messages
            && is_whole
            && output.filter.is_none()
            && let [source] = sources
            && let Some(hint) = outcome.unexplained.hint(outcome.messages, source)
        {
            print_error(format_args!("{hint}"));
        }
    }

    /// Printed records, and the content of the other view.
    fn taken(self, taken: u64, frames: u64, is_whole: bool) -> String {
        let reason = match self.why {
            Why::Filter => "the filter has packet fields only",
            Why::Columns => "the columns have packet fields only",
            Why::Written => "-w writes packets",
            Why::Form => "the format is for packets",
            Why::Option | Why::Default => "",
        };
        match (self.view, is_whole) {
            (View::Packets, _) => {
                format!("{}, because {reason}; --messages prints application messages", Counted(taken, "packet"))
            }
            (View::Messages, true) => format!("{}; --packets prints all {}", Counted(taken, "message"), Counted(frames, "frame")),
            (View::Messages, false) => format!("{}; --packets prints packets", Counted(taken, "message")),
        }
    }

    /// Reason why nothing was printed.
    fn empty_reason(self, output: &Output, outcome: &Outcome) -> String {
        let (frames, messages) = (Counted(outcome.frames, "frame"), Counted(outcome.messages, "message"));
        let all = if self.view == View::Packets { &frames } else { &messages };
        match (&output.numbers, &output.filter) {
            _ if outcome.frames == 0 => "the input has no frames".into(),
            _ if self.view == View::Messages && outcome.messages == 0 => format!("{frames}, no messages; try --packets"),
            (Some(numbers), _) => format!("--number {numbers}: the capture has {all}"),
            (None, Some(_)) if self.view == View::Messages => format!("no match in {messages}; --packets filters all {frames}"),
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
