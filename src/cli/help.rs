//! Examples, exit codes and text styles of `--help`.

use clap::builder::styling::{Style, Styles};

/// No colours: help and usage errors stay readable on any background.
pub(super) const STYLES: Styles = Styles::plain()
    .header(Style::new().bold().underline())
    .usage(Style::new().bold().underline())
    .literal(Style::new().bold())
    .error(Style::new().bold())
    .valid(Style::new().bold())
    .invalid(Style::new().bold());

pub(super) const EXAMPLES: &str = "\
Examples:
  proto-dissect session.pcap                       messages as tables
  proto-dissect --packets -l session.pcap          one line per packet
  xxd packet.bin | proto-dissect -V                a hex dump, in full detail
  proto-dissect --json -Y 'pipboy.type == 3' s.pcap | jq .
  proto-dissect follow session.pcap -s tcp/0       the bytes of a conversation";

pub(super) const MORE_EXAMPLES: &str = "\
Examples:
  proto-dissect session.pcap                       messages as tables
  proto-dissect -l session.pcap                    one line per message
  proto-dissect --packets -l session.pcap          one line per packet
  xxd packet.bin | proto-dissect -V                a hex dump, in full detail
  proto-dissect --hex '00 00 00 00 02' --port tcp:27000
  tcpdump -U -w - -i lo | proto-dissect -l         live capture
  proto-dissect --json session.pcap | jq .         JSON for scripts, see proto-dissect schema
  proto-dissect -T fields -e frame.number -e tcp.stream -e message.name session.pcap
  proto-dissect -Y 'ip.src == 10.0.0.1' -w part.pcapng session.pcap
  proto-dissect -d tcp.port==4000,xfire session.pcap
  proto-dissect --keys keys.txt session.pcap       keys of encrypted sessions, one a line
  proto-dissect follow session.pcap -s tcp/0       the bytes of a conversation
  proto-dissect stats session.pcap                 statistics
  proto-dissect protocols xfire                    coverage and settings of a protocol
  proto-dissect fields pipboy                      field names for -Y and -e

Exit codes:
  0  input read to the end; also if nothing matched, or if the reader of a pipe exited
  1  unexpected failure, such as a full disk; with --exit-status also if nothing was printed
  2  usage error
  3  an input cannot be opened
  4  an input is neither a capture nor hex text, or is empty
  5  an input is damaged (records before the damage are printed); with --strict also malformed messages or missing bytes
  130, 143  interrupted by SIGINT or SIGTERM; records read before that are printed";
