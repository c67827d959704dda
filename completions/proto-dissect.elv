
use builtin;
use str;

set edit:completion:arg-completer[proto-dissect] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'proto-dissect'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'proto-dissect'= {
            cand -T 'Form of the output'
            cand --format 'Form of the output'
            cand -e 'A column of -T fields, by field name; may be given again'
            cand --field 'A column of -T fields, by field name; may be given again'
            cand -E 'How columns are written: header=y|n, separator=CHAR, occurrence=f|l|a, aggregator=CHAR, quote=d|s|n'
            cand --fields-option 'How columns are written: header=y|n, separator=CHAR, occurrence=f|l|a, aggregator=CHAR, quote=d|s|n'
            cand -Y 'Print only what matches a display filter: ''ip.src == 10.0.0.1'''
            cand --filter 'Print only what matches a display filter: ''ip.src == 10.0.0.1'''
            cand -c 'Stop after N printed records'
            cand --count 'Stop after N printed records'
            cand --skip 'Leave out the first N records'
            cand --number 'Print only the records with these numbers: 5,10-20'
            cand -O 'Show details of these protocols only: -O pipboy,tcp'
            cand --only 'Show details of these protocols only: -O pipboy,tcp'
            cand -t 'How times are written: r since the first frame, a time of day, ad with date, d since the record before, e since 1970, u UTC'
            cand --time 'How times are written: r since the first frame, a time of day, ad with date, d since the record before, e since 1970, u UTC'
            cand --color 'When to use colours'
            cand -z 'Statistics in place of records, by tshark''s names: io,phs conv,tcp endpoints,ip follow,tcp,hex,0; may be given again'
            cand --hex 'The input itself, as hex text'
            cand --as 'The bytes are this protocol''s payload, or begin with this layer: pipboy:s2c, ip, eth'
            cand --link 'The bytes are frames of this link type, by name or number'
            cand --port 'The bytes are a payload seen on this port: tcp:27000'
            cand --input-format 'Do not guess what the input is'
            cand -d 'Whose conversations are: tcp.port==27000,pipboy'
            cand --decode-as 'Whose conversations are: tcp.port==27000,pipboy'
            cand -o 'What a protocol is told beforehand, such as a key or a password'
            cand --option 'What a protocol is told beforehand, such as a key or a password'
            cand --threads 'Threads that share the work; 1 does everything on one'
            cand --packets 'Show frames with all their layers instead of messages'
            cand -l 'A line for each record, the same as -T list'
            cand --list 'A line for each record, the same as -T list'
            cand --json 'A JSON object for each record, one a line, the same as -T ndjson'
            cand -V 'Fold and cut nothing'
            cand --full 'Fold and cut nothing'
            cand -v 'Add the link, IP and transport fields that carry a message'
            cand --verbose 'Add the link, IP and transport fields that carry a message'
            cand -x 'Add a hex dump'
            cand --hex-dump 'Add a hex dump'
            cand --strict 'Exit with 5 when messages are malformed or stream bytes are missing'
            cand --exit-status 'Exit with 1 when nothing was printed'
            cand -q 'Accepted for tshark''s sake: statistics come without records anyway'
            cand --explain-input 'Say on standard error what the input was found to be, and why'
            cand --show-secrets 'Show passwords and other secrets, which are masked otherwise'
            cand --no-heuristics 'Recognise protocols by port and -d only'
            cand --version 'Print the version'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand follow 'List the conversations of a capture, or print one as bytes'
            cand stats 'Count what is in a capture: protocols, conversations, endpoints, times, health, coverage'
            cand objects 'List what messages and conversations carry, such as maps and value trees, and save it'
            cand completions 'Print the completions of a shell'
            cand man 'Print the manual page (roff)'
        }
        &'proto-dissect;follow'= {
            cand -s 'The conversation: tcp/0, udp/3, or a number alone for TCP; without it all are listed'
            cand --stream 'The conversation: tcp/0, udp/3, or a number alone for TCP; without it all are listed'
            cand -T 'Form of the output'
            cand --format 'Form of the output'
            cand --dir 'Only what one side says'
            cand --write-dir 'Write the bytes of each direction into a file of its own in this folder'
            cand --color 'When to use colours'
            cand --hex 'The input itself, as hex text'
            cand --as 'The bytes are this protocol''s payload, or begin with this layer: pipboy:s2c, ip, eth'
            cand --link 'The bytes are frames of this link type, by name or number'
            cand --port 'The bytes are a payload seen on this port: tcp:27000'
            cand --input-format 'Do not guess what the input is'
            cand -d 'Whose conversations are: tcp.port==27000,pipboy'
            cand --decode-as 'Whose conversations are: tcp.port==27000,pipboy'
            cand -o 'What a protocol is told beforehand, such as a key or a password'
            cand --option 'What a protocol is told beforehand, such as a key or a password'
            cand --threads 'Threads that share the work; 1 does everything on one'
            cand --json 'A JSON object for each conversation or each thing said, one a line, the same as -T ndjson'
            cand --explain-input 'Say on standard error what the input was found to be, and why'
            cand --show-secrets 'Show passwords and other secrets, which are masked otherwise'
            cand --no-heuristics 'Recognise protocols by port and -d only'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'proto-dissect;stats'= {
            cand -z 'A part, by tshark''s name: io,phs conv,tcp endpoints,ip follow,tcp,hex,0, or overview, time, health, coverage'
            cand --color 'When to use colours'
            cand --hex 'The input itself, as hex text'
            cand --as 'The bytes are this protocol''s payload, or begin with this layer: pipboy:s2c, ip, eth'
            cand --link 'The bytes are frames of this link type, by name or number'
            cand --port 'The bytes are a payload seen on this port: tcp:27000'
            cand --input-format 'Do not guess what the input is'
            cand -d 'Whose conversations are: tcp.port==27000,pipboy'
            cand --decode-as 'Whose conversations are: tcp.port==27000,pipboy'
            cand -o 'What a protocol is told beforehand, such as a key or a password'
            cand --option 'What a protocol is told beforehand, such as a key or a password'
            cand --threads 'Threads that share the work; 1 does everything on one'
            cand --json 'One JSON object'
            cand -V 'Leave nothing out of the lists'
            cand --full 'Leave nothing out of the lists'
            cand --explain-input 'Say on standard error what the input was found to be, and why'
            cand --show-secrets 'Show passwords and other secrets, which are masked otherwise'
            cand --no-heuristics 'Recognise protocols by port and -d only'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'proto-dissect;objects'= {
            cand --write-dir 'Save each object as a file in this folder; files that are there already are never overwritten'
            cand --at 'Stop behind message N, and take what its conversation has gathered up to there'
            cand --hex 'The input itself, as hex text'
            cand --as 'The bytes are this protocol''s payload, or begin with this layer: pipboy:s2c, ip, eth'
            cand --link 'The bytes are frames of this link type, by name or number'
            cand --port 'The bytes are a payload seen on this port: tcp:27000'
            cand --input-format 'Do not guess what the input is'
            cand -d 'Whose conversations are: tcp.port==27000,pipboy'
            cand --decode-as 'Whose conversations are: tcp.port==27000,pipboy'
            cand -o 'What a protocol is told beforehand, such as a key or a password'
            cand --option 'What a protocol is told beforehand, such as a key or a password'
            cand --threads 'Threads that share the work; 1 does everything on one'
            cand --json 'A JSON object for each, one a line'
            cand --explain-input 'Say on standard error what the input was found to be, and why'
            cand --show-secrets 'Show passwords and other secrets, which are masked otherwise'
            cand --no-heuristics 'Recognise protocols by port and -d only'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'proto-dissect;completions'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'proto-dissect;man'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
    ]
    $completions[$command]
}
