//! The options of the other tasks.

use super::messages::ping;
use super::{Case, Differs, Same};

pub const FOLLOW: &[Case] = &[
    ("-s tcp/1", "samples/pipboy.pcap", Differs),
    ("-s 1", "samples/pipboy.pcap", Differs),
    ("-r samples/pipboy.pcap", "-s tcp/1", Differs),
    ("-Y udp", "samples/pipboy.pcap", Differs),
    ("-T hex", "-s tcp/1 samples/pipboy.pcap", Same),
    ("-T ascii", "-s udp/1 samples/pipboy.pcap", Differs),
    ("-T raw", "-s tcp/0 --dir s2c samples/runescape.pcap", Differs),
    ("-T json", "-s tcp/1 samples/pipboy.pcap", Differs),
    ("-T ndjson", "-s tcp/1 samples/pipboy.pcap", Differs),
    ("-T yaml", "-s tcp/1 samples/pipboy.pcap", Differs),
    ("-T carray", "-s tcp/1 samples/pipboy.pcap", Differs),
    ("--json", "samples/pipboy.pcap", Differs),
    ("--dir c2s", "-s udp/15 samples/talk.pcap", Differs),
    ("--dir s2c", "-s udp/15 samples/talk.pcap", Differs),
    ("--write-dir FOLDER", "samples/pipboy.pcap", Differs),
    ("--color auto", "-s tcp/1 samples/pipboy.pcap", Same),
    ("--color always", "-s tcp/1 samples/pipboy.pcap", Differs),
    ("--color never", "-s tcp/1 samples/pipboy.pcap", Same),
    ("--pager auto", "samples/pipboy.pcap", Same),
    ("--pager never", "samples/pipboy.pcap", Same),
    ("--help", "", Differs),
    ("--hex '00 00 00 00 02'", "", Differs),
    ("--as udp", "--hex '00 35 00 35 00 0a 00 00 61 62'", Differs),
    ("--link raw", "--hex '45 00 00 1e 00 01 00 00 40 11 f6 cb c0 00 02 01 c0 00 02 02 00 07 00 07 00 0b 00 00 61 62'", Differs),
    ("--port tcp:27000", "--hex '00 00 00 00 00'", Differs),
    ("--input-format pcap", "samples/pipboy.pcap", Same),
    ("--input-format hex", "samples/pipboy.pcap", Differs),
    ("--input-format raw", "--as pipboy:s2c samples/pipboy-update.txt", Differs),
    ("--input-format follow", "samples/pipboy-update.txt", Differs),
    ("--explain-input", "samples/pipboy-update.txt", Differs),
    ("-d tcp.port==27000,none", "samples/pipboy.pcap", Differs),
    ("-o tcp.check_checksum=true", "-s tcp/1 samples/pipboy.pcap", Same),
    ("--limit tree.notes=5", "-s tcp/1 samples/pipboy.pcap", Same),
    ("--threads 1", "samples/pipboy.pcap", Same),
    ("--show-secrets", "-s tcp/0 --dir c2s -T ascii samples/xfire.pcap", Differs),
    ("--no-heuristics", "samples/vcmp-rel006.pcap", Differs),
    ("-k tests/ksy/chat.ksy", "--hex '01 02 00 68 69'", Same),
    ("--ksy-dir tests/ksy/shared", "-k tests/ksy/stamped.ksy --hex '01 02 00 68'", Differs),
    ("--no-user-ksy", "samples/pipboy.pcap", Same),
];

pub const STATS: &[Case] = &[
    ("-r samples/linux-cooked.pcap", "-z io,phs", Differs),
    ("-Y tcp", "-z overview samples/linux-cooked.pcap", Differs),
    ("-z io,phs", "samples/linux-cooked.pcap", Differs),
    ("--json", "samples/linux-cooked.pcap", Differs),
    ("-V", "samples/talk.pcap", Differs),
    ("--color auto", "-z health samples/linux-cooked.pcap", Same),
    ("--color always", "-z health samples/linux-cooked.pcap", Differs),
    ("--color never", "-z health samples/linux-cooked.pcap", Same),
    ("--pager auto", "-z health samples/linux-cooked.pcap", Same),
    ("--pager never", "-z health samples/linux-cooked.pcap", Same),
    ("--help", "", Differs),
    ("--hex '00 00 00 00 02'", "-z io,phs", Differs),
    ("--as ip", concat!("-z io,phs ", ping!()), Differs),
    ("--link raw", concat!("-z io,phs ", ping!()), Differs),
    ("--port udp:53", "-z io,phs --hex '23 00 00 00 01'", Differs),
    ("--input-format pcap", "-z io,phs samples/linux-cooked.pcap", Same),
    ("--input-format hex", "-z io,phs samples/linux-cooked.pcap", Differs),
    ("--input-format raw", "-z io,phs --as pipboy:s2c samples/pipboy-update.txt", Differs),
    ("--input-format follow", "-z io,phs samples/pipboy-update.txt", Differs),
    ("--explain-input", "-z io,phs samples/linux-cooked.pcap", Differs),
    ("-d tcp.port==27000,none", "-z io,phs samples/pipboy.pcap", Differs),
    ("-o tcp.check_checksum=true", "-z health samples/pipboy.pcap", Same),
    ("--limit stats.conversations=1", "-z conv,tcp samples/http.pcap", Differs),
    ("--threads 2", "-z health samples/pipboy.pcap", Same),
    ("--show-secrets", "-z health samples/xfire.pcap", Same),
    ("--no-heuristics", "-z io,phs samples/vcmp-rel006.pcap", Differs),
    ("-k tests/ksy/chat.ksy", "-z io,phs --hex '01 02 00 68 69'", Differs),
    ("--ksy-dir tests/ksy/shared", "-z io,phs -k tests/ksy/stamped.ksy --hex '01 02 00 68'", Differs),
    ("--no-user-ksy", "-z io,phs samples/pipboy.pcap", Same),
];

pub const OBJECTS: &[Case] = &[
    ("-r samples/pipboy.pcap", "", Differs),
    ("--write-dir FOLDER", "samples/pipboy.pcap", Differs),
    ("--at 40", "samples/pipboy.pcap", Differs),
    ("--json", "samples/pipboy.pcap", Differs),
    ("--pager auto", "samples/pipboy.pcap", Same),
    ("--pager never", "samples/pipboy.pcap", Same),
    ("--help", "", Differs),
    ("--hex '06 00 00 00 03 00 17 00 00 00 01'", "", Differs),
    ("--as data", "--hex '06 00 00 00 03 00 17 00 00 00 01'", Differs),
    ("--link raw", "--hex '06 00 00 00 03 00 17 00 00 00 01'", Differs),
    ("--port tcp:443", "--hex '06 00 00 00 03 00 17 00 00 00 01'", Differs),
    ("--input-format pcap", "samples/pipboy.pcap", Same),
    ("--input-format hex", "samples/pipboy.pcap", Differs),
    ("--input-format raw", "--as pipboy:s2c samples/pipboy-update.txt", Differs),
    ("--input-format follow", "samples/pipboy-update.txt", Differs),
    ("--explain-input", "samples/pipboy.pcap", Differs),
    ("-d tcp.port==27000,none", "samples/pipboy.pcap", Differs),
    ("-o tcp.check_checksum=true", "samples/pipboy.pcap", Same),
    ("--limit tree.notes=5", "samples/pipboy.pcap", Same),
    ("--threads 2", "samples/pipboy.pcap", Same),
    ("--show-secrets", "samples/pipboy.pcap", Same),
    ("--no-heuristics", "samples/xfire-packets.pcap", Same),
    ("-k tests/ksy/chat.ksy", "--hex '01 02 00 68 69'", Same),
    ("--ksy-dir tests/ksy/shared", "-k tests/ksy/stamped.ksy --hex '01 02 00 68'", Differs),
    ("--no-user-ksy", "samples/pipboy.pcap", Same),
];

pub const PROTOCOLS: &[Case] = &[
    ("--json", "arp", Differs),
    ("--color auto", "arp", Same),
    ("--color always", "arp", Differs),
    ("--color never", "arp", Same),
    ("--pager auto", "arp", Same),
    ("--pager never", "arp", Same),
    ("--help", "", Differs),
    ("-k tests/ksy/chat.ksy", "chat", Differs),
    ("--ksy-dir tests/ksy/shared", "-k tests/ksy/stamped.ksy stamped", Differs),
    ("--no-user-ksy", "-k tests/ksy/chat.ksy chat", Same),
];

pub const FIELDS: &[Case] = &[
    ("--json", "arp.opcode", Differs),
    ("--tshark", "arp.opcode", Differs),
    ("--color auto", "arp.opcode", Same),
    ("--color always", "arp.opcode", Differs),
    ("--color never", "arp.opcode", Same),
    ("--pager auto", "arp.opcode", Same),
    ("--pager never", "arp.opcode", Same),
    ("--help", "", Differs),
    ("-k tests/ksy/chat.ksy", "chat", Differs),
    ("--ksy-dir tests/ksy/shared", "-k tests/ksy/stamped.ksy stamped", Differs),
    ("--no-user-ksy", "-k tests/ksy/chat.ksy chat", Same),
];

pub const KSY_CHECK: &[Case] = &[
    ("--color auto", "tests/ksy/chat.ksy", Same),
    ("--color always", "tests/ksy/stamped.ksy", Differs),
    ("--color never", "tests/ksy/chat.ksy", Same),
    ("--pager auto", "tests/ksy/chat.ksy", Same),
    ("--pager never", "tests/ksy/chat.ksy", Same),
    ("--help", "", Differs),
    ("-k tests/ksy/chat.ksy", "tests/ksy/chat.ksy", Same),
    ("--ksy-dir tests/ksy/shared", "tests/ksy/stamped.ksy", Differs),
    ("--no-user-ksy", "tests/ksy/chat.ksy", Same),
];

pub const KSY_LUA: &[Case] = &[
    ("--pager auto", "tests/ksy/chat.ksy", Same),
    ("--pager never", "tests/ksy/chat.ksy", Same),
    ("--help", "", Differs),
    ("-k tests/ksy/chat.ksy", "tests/ksy/chat.ksy", Same),
    ("--ksy-dir tests/ksy/shared", "tests/ksy/stamped.ksy", Differs),
    ("--no-user-ksy", "tests/ksy/chat.ksy", Same),
];

pub const COMPLETIONS: &[Case] = &[
    ("--pager auto", "zsh", Same),
    ("--pager never", "zsh", Same),
    ("--help", "", Differs),
    ("-k tests/ksy/chat.ksy", "zsh", Same),
    ("--ksy-dir tests/ksy/shared", "zsh", Same),
    ("--no-user-ksy", "zsh", Same),
];

pub const MAN: &[Case] = &[
    ("--pager auto", "", Same),
    ("--pager never", "", Same),
    ("--help", "", Differs),
    ("-k tests/ksy/chat.ksy", "", Same),
    ("--ksy-dir tests/ksy/shared", "", Same),
    ("--no-user-ksy", "", Same),
];

/// The schema lists the names of protocols.
pub const SPLIT: &[Case] = &[
    ("-n 2", "samples/linux-cooked.pcap FOLDER", Differs),
    ("--by time=1s", "samples/linux-cooked.pcap FOLDER", Differs),
    ("--json", "-n 2 samples/linux-cooked.pcap FOLDER", Differs),
    ("--pager auto", "-n 2 samples/linux-cooked.pcap FOLDER", Same),
    ("--pager never", "-n 2 samples/linux-cooked.pcap FOLDER", Same),
    ("--help", "", Differs),
    ("-k tests/ksy/chat.ksy", "-n 2 samples/linux-cooked.pcap FOLDER", Same),
    ("--ksy-dir tests/ksy/shared", "-n 2 samples/linux-cooked.pcap FOLDER", Same),
];

pub const SCHEMA: &[Case] = &[
    ("--columns", "", Differs),
    ("--pager auto", "", Same),
    ("--pager never", "", Same),
    ("--help", "", Differs),
    ("-k tests/ksy/chat.ksy", "", Differs),
    ("--ksy-dir tests/ksy/shared", "", Same),
    ("--no-user-ksy", "", Same),
];
