meta:
  id: lineage2
  title: Lineage II High Five, game server
  license: CC0-1.0
  endian: le
  encoding: UTF-16LE
  -proto-dissect:
    transport: tcp
    ports: [7777]
    roots: {client: client_stream, server: server_stream}
    name: body.op
    session:
      client_key: '[]'     # an empty key leaves bytes as they are
      server_key: '[]'
doc: |
  The server states half of the key. Each byte is combined with the key and with the encrypted byte before it. After a
  message, the size of its body is added to a number inside the key of its direction.
params:
  - {id: client_key, type: bytes}
  - {id: server_key, type: bytes}
types:
  client_stream: {seq: [{id: messages, type: client_message, repeat: eos}]}
  server_stream: {seq: [{id: messages, type: server_message, repeat: eos}]}
  client_message:
    seq:
      - id: len
        type: u2
        valid: {min: 3}
        -proto-dissect: {set: {client_key: '_root.client_key.length == 0 ? _root.client_key : add_u4le(_root.client_key, 8, len - 2)'}}
      - {id: body, type: client_body, size: len - 2, process: xor_chain(_root.client_key)}
  server_message:
    seq:
      - id: len
        type: u2
        valid: {min: 3}
        -proto-dissect: {set: {server_key: '_root.server_key.length == 0 ? _root.server_key : add_u4le(_root.server_key, 8, len - 2)'}}
      - {id: body, type: server_body, size: len - 2, process: xor_chain(_root.server_key)}
  client_body:
    seq:
      - {id: op, type: u1, enum: client_ops}
      - id: data
        size-eos: true
        type:
          switch-on: op
          cases:
            'client_ops::protocol_version': protocol_version
            'client_ops::move': move_to
            'client_ops::auth_login': auth_login
            'client_ops::say': say
            'client_ops::net_ping': net_ping_answer
  server_body:
    seq:
      - {id: op, type: u1, enum: server_ops}
      - id: data
        size-eos: true
        type:
          switch-on: op
          cases:
            'server_ops::key': key
            'server_ops::move': creature_move
            'server_ops::say': creature_say
            'server_ops::net_ping': net_ping
  protocol_version: {seq: [{id: revision, type: u4}]}
  key:
    seq:
      - {id: is_accepted, type: u1}
      - id: half
        size: 8
        doc: The other half is the same for all servers.
        -proto-dissect:
          set:
            client_key: half + [0xc8, 0x27, 0x93, 0x01, 0xa1, 0x6c, 0x31, 0x97]
            server_key: half + [0xc8, 0x27, 0x93, 0x01, 0xa1, 0x6c, 0x31, 0x97]
      - {id: is_encrypted, type: u4}
      - {id: server, type: u4}
  auth_login:
    seq:
      - {id: account, type: strz}
      - {id: play_keys, type: u4, repeat: expr, repeat-expr: 2}
      - {id: login_keys, type: u4, repeat: expr, repeat-expr: 2}
  position: {seq: [{id: x, type: s4}, {id: y, type: s4}, {id: z, type: s4}]}
  move_to: {seq: [{id: target, type: position}, {id: origin, type: position}, {id: by_mouse, type: u4}]}
  creature_move: {seq: [{id: creature, type: u4}, {id: target, type: position}, {id: origin, type: position}]}
  say: {seq: [{id: text, type: strz}, {id: kind, type: u4}]}
  creature_say: {seq: [{id: creature, type: u4}, {id: kind, type: u4}, {id: name, type: strz}, {id: text_number, type: s4}, {id: text, type: strz}]}
  net_ping: {seq: [{id: number, type: u4}]}
  net_ping_answer: {seq: [{id: number, type: u4}, {id: ms, type: u4}, {id: mtu, type: u4}]}
enums:
  client_ops: {0x0e: protocol_version, 0x0f: move, 0x2b: auth_login, 0x49: say, 0xb1: net_ping}
  server_ops: {0x2e: key, 0x2f: move, 0x4a: say, 0xd9: net_ping}
