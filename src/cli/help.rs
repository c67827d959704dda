//! The words and styles around the options in `--help`.

use clap::builder::styling::{Style, Styles};

/// No colour: help and errors of usage are readable on any ground.
pub(super) const STYLES: Styles = Styles::plain()
    .header(Style::new().bold().underline())
    .usage(Style::new().bold().underline())
    .literal(Style::new().bold())
    .error(Style::new().bold())
    .valid(Style::new().bold())
    .invalid(Style::new().bold());

pub(super) const EXAMPLES: &str = "\
Examples:
  proto-dissect session.pcap                       messages, a table each
  proto-dissect --packets -l session.pcap          a line for each frame
  xxd packet.bin | proto-dissect -V                a hex dump, nothing folded or cut
  proto-dissect --json -Y 'pipboy.type == 3' s.pcap | jq .
  proto-dissect follow session.pcap -s tcp/0       a conversation as bytes, both sides";

pub(super) const MORE_EXAMPLES: &str = "\
Examples:
  proto-dissect session.pcap                       messages, a table each
  proto-dissect -l session.pcap                    a line for each message
  proto-dissect --packets -l session.pcap          a line for each frame
  xxd packet.bin | proto-dissect -V                a hex dump, nothing folded or cut
  proto-dissect --hex '00 00 00 00 02' --port tcp:27000
  tcpdump -w - -i lo | proto-dissect -l            live
  proto-dissect --json session.pcap | jq .         records for scripts; their shape: proto-dissect schema
  proto-dissect -T fields -e frame.number -e tcp.stream -e message.name session.pcap
  proto-dissect -Y 'ip.src == 10.0.0.1' -w part.pcapng session.pcap
  proto-dissect -d tcp.port==4000,xfire session.pcap
  proto-dissect follow session.pcap -s tcp/0       a conversation as bytes, both sides
  proto-dissect stats session.pcap                 what is in it, counted
  proto-dissect protocols xfire                    what of it is read, and its settings
  proto-dissect fields pipboy                      names for -Y and -e

Exit codes:
  0  read to the end; also when nothing matched, or the reader of a pipe had enough
  1  something unexpected, such as a full disk; with --exit-status also: nothing was printed
  2  wrong usage
  3  an input cannot be opened
  4  an input is neither a capture nor hex, or is empty
  5  an input is damaged; everything before the damage was printed. With --strict also: malformed messages, missing bytes
  130, 143  SIGINT or SIGTERM ended the run; what was read until then was printed";
