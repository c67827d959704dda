# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_proto_dissect_global_optspecs
    string join \n packets T/format= l/list json e/field= E/fields-option= V/full v/verbose x/hex-dump Y/filter= c/count= skip= number= O/only= t/time= color= strict exit-status z= q hex= as= link= port= input-format= explain-input d/decode-as= o/option= threads= show-secrets no-heuristics version h/help
end

function __fish_proto_dissect_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_proto_dissect_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_proto_dissect_using_subcommand
    set -l cmd (__fish_proto_dissect_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -s T -l format -d 'Form of the output' -r -f -a "table\t'A heading and a table of fields for each record'
list\t'A line for each record'
ndjson\t'A JSON object for each record, one a line'
json\t'All records in one JSON array'
flat\t'A flat JSON object for each record, one a line'
fields\t'The columns of -e'
csv\t'The columns of -e as CSV with a header'"
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -s e -l field -d 'A column of -T fields, by field name; may be given again' -r
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -s E -l fields-option -d 'How columns are written: header=y|n, separator=CHAR, occurrence=f|l|a, aggregator=CHAR, quote=d|s|n' -r
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -s Y -l filter -d 'Print only what matches a display filter: \'ip.src == 10.0.0.1\'' -r
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -s c -l count -d 'Stop after N printed records' -r
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -l skip -d 'Leave out the first N records' -r
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -l number -d 'Print only the records with these numbers: 5,10-20' -r
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -s O -l only -d 'Show details of these protocols only: -O pipboy,tcp' -r
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -s t -l time -d 'How times are written: r since the first frame, a time of day, ad with date, d since the record before, e since 1970, u UTC' -r
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -s z -d 'Statistics in place of records, by tshark\'s names: io,phs conv,tcp endpoints,ip follow,tcp,hex,0; may be given again' -r
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -l hex -d 'The input itself, as hex text' -r
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -l as -d 'The bytes are this protocol\'s payload, or begin with this layer: pipboy:s2c, ip, eth' -r
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -l link -d 'The bytes are frames of this link type, by name or number' -r
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -l port -d 'The bytes are a payload seen on this port: tcp:27000' -r
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -l input-format -d 'Do not guess what the input is' -r -f -a "pcap\t'A capture: pcap, pcapng or snoop'
hex\t'Hex text'
raw\t'Bytes as they are, of the protocol or link type that --as, --link or --port names'
follow\t'Wireshark\'s Follow-Stream hex dump'"
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -s d -l decode-as -d 'Whose conversations are: tcp.port==27000,pipboy' -r
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -s o -l option -d 'What a protocol is told beforehand, such as a key or a password' -r
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -l threads -d 'Threads that share the work; 1 does everything on one' -r
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -l packets -d 'Show frames with all their layers instead of messages'
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -s l -l list -d 'A line for each record, the same as -T list'
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -l json -d 'A JSON object for each record, one a line, the same as -T ndjson'
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -s V -l full -d 'Fold and cut nothing'
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -s v -l verbose -d 'Add the link, IP and transport fields that carry a message'
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -s x -l hex-dump -d 'Add a hex dump'
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -l strict -d 'Exit with 5 when messages are malformed or stream bytes are missing'
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -l exit-status -d 'Exit with 1 when nothing was printed'
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -s q -d 'Accepted for tshark\'s sake: statistics come without records anyway'
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -l explain-input -d 'Say on standard error what the input was found to be, and why'
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -l show-secrets -d 'Show passwords and other secrets, which are masked otherwise'
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -l no-heuristics -d 'Recognise protocols by port and -d only'
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -l version -d 'Print the version'
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -a "follow" -d 'List the conversations of a capture, or print one as bytes'
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -a "stats" -d 'Count what is in a capture: protocols, conversations, endpoints, times, health, coverage'
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -a "objects" -d 'List what messages and conversations carry, such as maps and value trees, and save it'
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -a "completions" -d 'Print the completions of a shell'
complete -c proto-dissect -n "__fish_proto_dissect_needs_command" -a "man" -d 'Print the manual page (roff)'
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand follow" -s s -l stream -d 'The conversation: tcp/0, udp/3, or a number alone for TCP; without it all are listed' -r
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand follow" -s T -l format -d 'Form of the output' -r -f -a "hex\t'Wireshark\'s Follow Stream, with messages named; can be read back in'
ascii\t'Text, with a dot for what is none'
raw\t'The bytes and nothing else'
json\t'All that is said in one JSON array'
ndjson\t'A JSON object for each thing said, one a line'
yaml\t'YAML as Wireshark writes it'
carray\t'An array in C for each thing said'"
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand follow" -l dir -d 'Only what one side says' -r -f -a "c2s\t'What the client says'
s2c\t'What the server says'"
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand follow" -l write-dir -d 'Write the bytes of each direction into a file of its own in this folder' -r -f -a "(__fish_complete_directories)"
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand follow" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand follow" -l hex -d 'The input itself, as hex text' -r
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand follow" -l as -d 'The bytes are this protocol\'s payload, or begin with this layer: pipboy:s2c, ip, eth' -r
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand follow" -l link -d 'The bytes are frames of this link type, by name or number' -r
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand follow" -l port -d 'The bytes are a payload seen on this port: tcp:27000' -r
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand follow" -l input-format -d 'Do not guess what the input is' -r -f -a "pcap\t'A capture: pcap, pcapng or snoop'
hex\t'Hex text'
raw\t'Bytes as they are, of the protocol or link type that --as, --link or --port names'
follow\t'Wireshark\'s Follow-Stream hex dump'"
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand follow" -s d -l decode-as -d 'Whose conversations are: tcp.port==27000,pipboy' -r
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand follow" -s o -l option -d 'What a protocol is told beforehand, such as a key or a password' -r
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand follow" -l threads -d 'Threads that share the work; 1 does everything on one' -r
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand follow" -l json -d 'A JSON object for each conversation or each thing said, one a line, the same as -T ndjson'
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand follow" -l explain-input -d 'Say on standard error what the input was found to be, and why'
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand follow" -l show-secrets -d 'Show passwords and other secrets, which are masked otherwise'
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand follow" -l no-heuristics -d 'Recognise protocols by port and -d only'
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand follow" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand stats" -s z -d 'A part, by tshark\'s name: io,phs conv,tcp endpoints,ip follow,tcp,hex,0, or overview, time, health, coverage' -r
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand stats" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand stats" -l hex -d 'The input itself, as hex text' -r
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand stats" -l as -d 'The bytes are this protocol\'s payload, or begin with this layer: pipboy:s2c, ip, eth' -r
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand stats" -l link -d 'The bytes are frames of this link type, by name or number' -r
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand stats" -l port -d 'The bytes are a payload seen on this port: tcp:27000' -r
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand stats" -l input-format -d 'Do not guess what the input is' -r -f -a "pcap\t'A capture: pcap, pcapng or snoop'
hex\t'Hex text'
raw\t'Bytes as they are, of the protocol or link type that --as, --link or --port names'
follow\t'Wireshark\'s Follow-Stream hex dump'"
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand stats" -s d -l decode-as -d 'Whose conversations are: tcp.port==27000,pipboy' -r
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand stats" -s o -l option -d 'What a protocol is told beforehand, such as a key or a password' -r
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand stats" -l threads -d 'Threads that share the work; 1 does everything on one' -r
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand stats" -l json -d 'One JSON object'
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand stats" -s V -l full -d 'Leave nothing out of the lists'
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand stats" -l explain-input -d 'Say on standard error what the input was found to be, and why'
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand stats" -l show-secrets -d 'Show passwords and other secrets, which are masked otherwise'
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand stats" -l no-heuristics -d 'Recognise protocols by port and -d only'
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand stats" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand objects" -l write-dir -d 'Save each object as a file in this folder; files that are there already are never overwritten' -r -f -a "(__fish_complete_directories)"
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand objects" -l at -d 'Stop behind message N, and take what its conversation has gathered up to there' -r
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand objects" -l hex -d 'The input itself, as hex text' -r
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand objects" -l as -d 'The bytes are this protocol\'s payload, or begin with this layer: pipboy:s2c, ip, eth' -r
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand objects" -l link -d 'The bytes are frames of this link type, by name or number' -r
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand objects" -l port -d 'The bytes are a payload seen on this port: tcp:27000' -r
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand objects" -l input-format -d 'Do not guess what the input is' -r -f -a "pcap\t'A capture: pcap, pcapng or snoop'
hex\t'Hex text'
raw\t'Bytes as they are, of the protocol or link type that --as, --link or --port names'
follow\t'Wireshark\'s Follow-Stream hex dump'"
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand objects" -s d -l decode-as -d 'Whose conversations are: tcp.port==27000,pipboy' -r
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand objects" -s o -l option -d 'What a protocol is told beforehand, such as a key or a password' -r
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand objects" -l threads -d 'Threads that share the work; 1 does everything on one' -r
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand objects" -l json -d 'A JSON object for each, one a line'
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand objects" -l explain-input -d 'Say on standard error what the input was found to be, and why'
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand objects" -l show-secrets -d 'Show passwords and other secrets, which are masked otherwise'
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand objects" -l no-heuristics -d 'Recognise protocols by port and -d only'
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand objects" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand completions" -s h -l help -d 'Print help'
complete -c proto-dissect -n "__fish_proto_dissect_using_subcommand man" -s h -l help -d 'Print help'
