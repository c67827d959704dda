meta:
  id: rooms
  title: A game over KCP
  endian: le
  -proto-dissect:
    transport: udp
    ports: [6100]
    name: op
    info: '{body}'
    session: {player: 0}
    deliver: {of: segments, when: cmd == kcp_cmd::push, by: conv, order: sn, left: frg, data: data, as: message}
params: [{id: player, type: u4}]
doc: |
  KCP sends messages in numbered segments: a datagram has several, and a long message takes several. Each inner message begins
  with its number.
doc-ref: https://github.com/skywind3000/kcp/blob/master/protocol.txt
seq:
  - {id: segments, type: segment, repeat: eos}
types:
  segment:
    seq:
      - {id: conv, type: u4, doc: The number of the conversation}
      - {id: cmd, type: u1, enum: kcp_cmd}
      - {id: frg, type: u1, doc: Fragments of the message that follow}
      - {id: wnd, type: u2, doc: Free segments of the receiver}
      - {id: ts, type: u4, doc: Time in milliseconds}
      - {id: sn, type: u4, doc: The number of the segment}
      - {id: una, type: u4, doc: The first number that was not received}
      - {id: len_data, type: u4}
      - {id: data, size: len_data}
  message:
    seq:
      - {id: op, type: u2, enum: ops, valid: {in-enum: true}}
      - id: body
        size-eos: true
        type: {switch-on: op, cases: {'ops::join': join, 'ops::joined': joined, 'ops::move': walk, 'ops::say': say, 'ops::map': map}}
  join: {to-string: name.s, seq: [{id: name, type: text}]}
  joined:
    to-string: 'f"player {number}"'
    seq: [{id: number, type: u4, -proto-dissect: {set: {player: number}}}]
  walk: {to-string: 'f"player {_root.player}"', seq: [{id: x, type: f4}, {id: y, type: f4}]}
  say: {to-string: text.s, seq: [{id: text, type: text}]}
  map: {to-string: 'f"{width} tiles wide"', seq: [{id: width, type: u2}, {id: tiles, size-eos: true}]}
  text: {seq: [{id: len_s, type: u1}, {id: s, type: str, size: len_s, encoding: UTF-8}]}
enums:
  kcp_cmd: {81: push, 82: ack, 83: ask_window, 84: tell_window}
  ops: {1: join, 2: joined, 3: move, 4: say, 5: map}
