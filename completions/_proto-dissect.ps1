
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'proto-dissect' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'proto-dissect'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'proto-dissect' {
            [CompletionResult]::new('-T', '-T ', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('-e', '-e', [CompletionResultType]::ParameterName, 'A column of -T fields, by field name; may be given again')
            [CompletionResult]::new('--field', '--field', [CompletionResultType]::ParameterName, 'A column of -T fields, by field name; may be given again')
            [CompletionResult]::new('-E', '-E ', [CompletionResultType]::ParameterName, 'How columns are written: header=y|n, separator=CHAR, occurrence=f|l|a, aggregator=CHAR, quote=d|s|n')
            [CompletionResult]::new('--fields-option', '--fields-option', [CompletionResultType]::ParameterName, 'How columns are written: header=y|n, separator=CHAR, occurrence=f|l|a, aggregator=CHAR, quote=d|s|n')
            [CompletionResult]::new('-Y', '-Y ', [CompletionResultType]::ParameterName, 'Print only what matches a display filter: ''ip.src == 10.0.0.1''')
            [CompletionResult]::new('--filter', '--filter', [CompletionResultType]::ParameterName, 'Print only what matches a display filter: ''ip.src == 10.0.0.1''')
            [CompletionResult]::new('-c', '-c', [CompletionResultType]::ParameterName, 'Stop after N printed records')
            [CompletionResult]::new('--count', '--count', [CompletionResultType]::ParameterName, 'Stop after N printed records')
            [CompletionResult]::new('--skip', '--skip', [CompletionResultType]::ParameterName, 'Leave out the first N records')
            [CompletionResult]::new('--number', '--number', [CompletionResultType]::ParameterName, 'Print only the records with these numbers: 5,10-20')
            [CompletionResult]::new('-O', '-O ', [CompletionResultType]::ParameterName, 'Show details of these protocols only: -O pipboy,tcp')
            [CompletionResult]::new('--only', '--only', [CompletionResultType]::ParameterName, 'Show details of these protocols only: -O pipboy,tcp')
            [CompletionResult]::new('-t', '-t', [CompletionResultType]::ParameterName, 'How times are written: r since the first frame, a time of day, ad with date, d since the record before, e since 1970, u UTC')
            [CompletionResult]::new('--time', '--time', [CompletionResultType]::ParameterName, 'How times are written: r since the first frame, a time of day, ad with date, d since the record before, e since 1970, u UTC')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-z', '-z', [CompletionResultType]::ParameterName, 'Statistics in place of records, by tshark''s names: io,phs conv,tcp endpoints,ip follow,tcp,hex,0; may be given again')
            [CompletionResult]::new('--hex', '--hex', [CompletionResultType]::ParameterName, 'The input itself, as hex text')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'The bytes are this protocol''s payload, or begin with this layer: pipboy:s2c, ip, eth')
            [CompletionResult]::new('--link', '--link', [CompletionResultType]::ParameterName, 'The bytes are frames of this link type, by name or number')
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'The bytes are a payload seen on this port: tcp:27000')
            [CompletionResult]::new('--input-format', '--input-format', [CompletionResultType]::ParameterName, 'Do not guess what the input is')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'Whose conversations are: tcp.port==27000,pipboy')
            [CompletionResult]::new('--decode-as', '--decode-as', [CompletionResultType]::ParameterName, 'Whose conversations are: tcp.port==27000,pipboy')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'What a protocol is told beforehand, such as a key or a password')
            [CompletionResult]::new('--option', '--option', [CompletionResultType]::ParameterName, 'What a protocol is told beforehand, such as a key or a password')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads that share the work; 1 does everything on one')
            [CompletionResult]::new('--packets', '--packets', [CompletionResultType]::ParameterName, 'Show frames with all their layers instead of messages')
            [CompletionResult]::new('-l', '-l', [CompletionResultType]::ParameterName, 'A line for each record, the same as -T list')
            [CompletionResult]::new('--list', '--list', [CompletionResultType]::ParameterName, 'A line for each record, the same as -T list')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'A JSON object for each record, one a line, the same as -T ndjson')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Fold and cut nothing')
            [CompletionResult]::new('--full', '--full', [CompletionResultType]::ParameterName, 'Fold and cut nothing')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Add the link, IP and transport fields that carry a message')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Add the link, IP and transport fields that carry a message')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'Add a hex dump')
            [CompletionResult]::new('--hex-dump', '--hex-dump', [CompletionResultType]::ParameterName, 'Add a hex dump')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Exit with 5 when messages are malformed or stream bytes are missing')
            [CompletionResult]::new('--exit-status', '--exit-status', [CompletionResultType]::ParameterName, 'Exit with 1 when nothing was printed')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Accepted for tshark''s sake: statistics come without records anyway')
            [CompletionResult]::new('--explain-input', '--explain-input', [CompletionResultType]::ParameterName, 'Say on standard error what the input was found to be, and why')
            [CompletionResult]::new('--show-secrets', '--show-secrets', [CompletionResultType]::ParameterName, 'Show passwords and other secrets, which are masked otherwise')
            [CompletionResult]::new('--no-heuristics', '--no-heuristics', [CompletionResultType]::ParameterName, 'Recognise protocols by port and -d only')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print the version')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('follow', 'follow', [CompletionResultType]::ParameterValue, 'List the conversations of a capture, or print one as bytes')
            [CompletionResult]::new('stats', 'stats', [CompletionResultType]::ParameterValue, 'Count what is in a capture: protocols, conversations, endpoints, times, health, coverage')
            [CompletionResult]::new('objects', 'objects', [CompletionResultType]::ParameterValue, 'List what messages and conversations carry, such as maps and value trees, and save it')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print the completions of a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print the manual page (roff)')
            break
        }
        'proto-dissect;follow' {
            [CompletionResult]::new('-s', '-s', [CompletionResultType]::ParameterName, 'The conversation: tcp/0, udp/3, or a number alone for TCP; without it all are listed')
            [CompletionResult]::new('--stream', '--stream', [CompletionResultType]::ParameterName, 'The conversation: tcp/0, udp/3, or a number alone for TCP; without it all are listed')
            [CompletionResult]::new('-T', '-T ', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Form of the output')
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Only what one side says')
            [CompletionResult]::new('--write-dir', '--write-dir', [CompletionResultType]::ParameterName, 'Write the bytes of each direction into a file of its own in this folder')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--hex', '--hex', [CompletionResultType]::ParameterName, 'The input itself, as hex text')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'The bytes are this protocol''s payload, or begin with this layer: pipboy:s2c, ip, eth')
            [CompletionResult]::new('--link', '--link', [CompletionResultType]::ParameterName, 'The bytes are frames of this link type, by name or number')
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'The bytes are a payload seen on this port: tcp:27000')
            [CompletionResult]::new('--input-format', '--input-format', [CompletionResultType]::ParameterName, 'Do not guess what the input is')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'Whose conversations are: tcp.port==27000,pipboy')
            [CompletionResult]::new('--decode-as', '--decode-as', [CompletionResultType]::ParameterName, 'Whose conversations are: tcp.port==27000,pipboy')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'What a protocol is told beforehand, such as a key or a password')
            [CompletionResult]::new('--option', '--option', [CompletionResultType]::ParameterName, 'What a protocol is told beforehand, such as a key or a password')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads that share the work; 1 does everything on one')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'A JSON object for each conversation or each thing said, one a line, the same as -T ndjson')
            [CompletionResult]::new('--explain-input', '--explain-input', [CompletionResultType]::ParameterName, 'Say on standard error what the input was found to be, and why')
            [CompletionResult]::new('--show-secrets', '--show-secrets', [CompletionResultType]::ParameterName, 'Show passwords and other secrets, which are masked otherwise')
            [CompletionResult]::new('--no-heuristics', '--no-heuristics', [CompletionResultType]::ParameterName, 'Recognise protocols by port and -d only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'proto-dissect;stats' {
            [CompletionResult]::new('-z', '-z', [CompletionResultType]::ParameterName, 'A part, by tshark''s name: io,phs conv,tcp endpoints,ip follow,tcp,hex,0, or overview, time, health, coverage')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--hex', '--hex', [CompletionResultType]::ParameterName, 'The input itself, as hex text')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'The bytes are this protocol''s payload, or begin with this layer: pipboy:s2c, ip, eth')
            [CompletionResult]::new('--link', '--link', [CompletionResultType]::ParameterName, 'The bytes are frames of this link type, by name or number')
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'The bytes are a payload seen on this port: tcp:27000')
            [CompletionResult]::new('--input-format', '--input-format', [CompletionResultType]::ParameterName, 'Do not guess what the input is')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'Whose conversations are: tcp.port==27000,pipboy')
            [CompletionResult]::new('--decode-as', '--decode-as', [CompletionResultType]::ParameterName, 'Whose conversations are: tcp.port==27000,pipboy')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'What a protocol is told beforehand, such as a key or a password')
            [CompletionResult]::new('--option', '--option', [CompletionResultType]::ParameterName, 'What a protocol is told beforehand, such as a key or a password')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads that share the work; 1 does everything on one')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'One JSON object')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Leave nothing out of the lists')
            [CompletionResult]::new('--full', '--full', [CompletionResultType]::ParameterName, 'Leave nothing out of the lists')
            [CompletionResult]::new('--explain-input', '--explain-input', [CompletionResultType]::ParameterName, 'Say on standard error what the input was found to be, and why')
            [CompletionResult]::new('--show-secrets', '--show-secrets', [CompletionResultType]::ParameterName, 'Show passwords and other secrets, which are masked otherwise')
            [CompletionResult]::new('--no-heuristics', '--no-heuristics', [CompletionResultType]::ParameterName, 'Recognise protocols by port and -d only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'proto-dissect;objects' {
            [CompletionResult]::new('--write-dir', '--write-dir', [CompletionResultType]::ParameterName, 'Save each object as a file in this folder; files that are there already are never overwritten')
            [CompletionResult]::new('--at', '--at', [CompletionResultType]::ParameterName, 'Stop behind message N, and take what its conversation has gathered up to there')
            [CompletionResult]::new('--hex', '--hex', [CompletionResultType]::ParameterName, 'The input itself, as hex text')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'The bytes are this protocol''s payload, or begin with this layer: pipboy:s2c, ip, eth')
            [CompletionResult]::new('--link', '--link', [CompletionResultType]::ParameterName, 'The bytes are frames of this link type, by name or number')
            [CompletionResult]::new('--port', '--port', [CompletionResultType]::ParameterName, 'The bytes are a payload seen on this port: tcp:27000')
            [CompletionResult]::new('--input-format', '--input-format', [CompletionResultType]::ParameterName, 'Do not guess what the input is')
            [CompletionResult]::new('-d', '-d', [CompletionResultType]::ParameterName, 'Whose conversations are: tcp.port==27000,pipboy')
            [CompletionResult]::new('--decode-as', '--decode-as', [CompletionResultType]::ParameterName, 'Whose conversations are: tcp.port==27000,pipboy')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'What a protocol is told beforehand, such as a key or a password')
            [CompletionResult]::new('--option', '--option', [CompletionResultType]::ParameterName, 'What a protocol is told beforehand, such as a key or a password')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads that share the work; 1 does everything on one')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'A JSON object for each, one a line')
            [CompletionResult]::new('--explain-input', '--explain-input', [CompletionResultType]::ParameterName, 'Say on standard error what the input was found to be, and why')
            [CompletionResult]::new('--show-secrets', '--show-secrets', [CompletionResultType]::ParameterName, 'Show passwords and other secrets, which are masked otherwise')
            [CompletionResult]::new('--no-heuristics', '--no-heuristics', [CompletionResultType]::ParameterName, 'Recognise protocols by port and -d only')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'proto-dissect;completions' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'proto-dissect;man' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
