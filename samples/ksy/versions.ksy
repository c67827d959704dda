meta:
  id: versions
  title: A protocol whose sizes and numbers of messages depend on the version of the client
  license: CC0-1.0
  endian: le
  encoding: UTF-8
  -proto-dissect:
    transport: tcp
    ports: [5121]
    resync: segment
    name: op
    session:
      version: 20
      sizes: 'table("versions.ops.tsv", _root.version)'    # computed again when the version changes
doc: |
  A message has no length where its size is fixed. The table beside this file has a row for each version and number:
  the size of the message, or -1 if a length follows, and its name. The enum of the same name, `ops`, has these names:
  `ops::say` is 0x67 in version 20 and 0x68 in version 55.
params:
  - {id: version, type: u4}
  - {id: sizes, type: 's4[]'}
seq:
  - {id: messages, type: message, repeat: eos}
types:
  message:
    seq:
      - {id: op, type: u2, enum: ops}
      - {id: len, type: u2, if: '_root.sizes[op.to_i] < 0'}
      - id: body
        size: '_root.sizes[op.to_i] < 0 ? len - 4 : _root.sizes[op.to_i] - 2'
        type: {switch-on: op, cases: {'ops::hello': hello, 'ops::welcome': welcome, 'ops::move': move, 'ops::say': say}}
  hello:
    seq:
      - {id: version, type: u4, -proto-dissect: {set: {version: version}}}
      - {id: flags, type: u2}
  welcome: {seq: [{id: account, type: u4}]}
  move:
    seq:
      - {id: x, type: u2}
      - {id: y, type: u2}
      - {id: direction, type: u1}
      - {id: extra, type: u2, if: _root.version >= 55}
  say: {seq: [{id: text, type: str, size-eos: true}]}
enums:
  ops: {0x64: hello, 0x65: welcome, 0x66: move, 0x67: say}      # numbers of versions that the table does not have
