meta:
  id: zstream
  title: A server that compresses all it sends, from its greeting on
  license: CC0-1.0
  endian: be
  encoding: UTF-8
  -proto-dissect:
    transport: tcp
    ports: [6002]
    roots: {client: client_stream, server: server_stream}
    name: body.op
doc: |
  One zlib stream for the whole direction. The sender flushes it after each message, so that one ends with a segment.
types:
  client_stream: {seq: [{id: hello, type: hello}, {id: messages, type: message, repeat: eos}]}
  server_stream: {seq: [{id: greeting, type: greeting}, {id: messages, type: message, repeat: eos}]}
  hello: {seq: [{id: len_rest, type: u2, valid: 2}, {id: version, type: u2}]}
  greeting:
    seq:
      - {id: len_rest, type: u2, valid: 1}
      - {id: compression, type: u1, -proto-dissect: {stream: {server: zlib}}}
  message: {seq: [{id: len_body, type: u2}, {id: body, type: body, size: len_body}]}
  body:
    seq:
      - {id: op, type: u1, enum: ops, valid: {in-enum: true}}
      - id: data
        size-eos: true
        type: {switch-on: op, cases: {'ops::move': move, 'ops::chat': chat, 'ops::say': say}}
  move: {seq: [{id: x, type: f4}, {id: y, type: f4}]}
  chat: {seq: [{id: text, type: str, size-eos: true}]}
  say: {seq: [{id: len_who, type: u1}, {id: who, type: str, size: len_who}, {id: text, type: str, size-eos: true}]}
enums:
  ops: {0x10: move, 0x11: chat, 0x21: say}
