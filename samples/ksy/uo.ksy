meta:
  id: uo
  title: Ultima Online, game server
  license: CC0-1.0
  endian: be
  encoding: ASCII
  -proto-dissect:
    transport: tcp
    ports: [2593]
    roots: {client: client_stream, server: server_stream}
    name: op
    secret: [body.password]
doc: |
  A message has no length if its number has a fixed size. From the login on, the server compresses each message with
  Huffman codes, which are in the table beside this file. The last code of a message stands for its end.
types:
  client_stream: {seq: [{id: seed, size: 4}, {id: messages, type: client_message, repeat: eos}]}
  server_stream: {seq: [{id: messages, type: server_message, repeat: eos}]}
  client_message:
    seq:
      - {id: op, type: u1, enum: client_ops, valid: {in-enum: true}}
      - {id: len, type: u2, if: size == 0, valid: {min: 3}}
      - id: body
        size: 'size == 0 ? len - 3 : size - 1'
        type:
          switch-on: op
          cases:
            'client_ops::game_login': game_login
            'client_ops::select_character': select_character
            'client_ops::walk': walk
            'client_ops::ping': ping
            'client_ops::speech': speech
    instances:
      size:
        value: 'op == client_ops::game_login ? 65 : op == client_ops::select_character ? 73 : op == client_ops::walk ? 7 : op == client_ops::ping ? 2 : 0'
        doc: 0 if a length follows.
  server_message:
    seq:
      - {id: op, type: u1, enum: server_ops, valid: {in-enum: true}}
      - {id: len, type: u2, if: size == 0, valid: {min: 3}}
      - id: body
        size: 'size == 0 ? len - 3 : size - 1'
        type:
          switch-on: op
          cases:
            'server_ops::features': features
            'server_ops::login_confirm': login_confirm
            'server_ops::walk_accept': walk_accept
            'server_ops::light': light
            'server_ops::ping': ping
            'server_ops::message': message
    instances:
      size:
        value: 'op == server_ops::features ? 3 : op == server_ops::login_confirm ? 37 : op == server_ops::walk_accept ? 3 : op == server_ops::light ? 2 : op == server_ops::ping ? 2 : op == server_ops::login_complete ? 1 : 0'
        doc: 0 if a length follows.
  game_login:
    seq:
      - {id: key, type: u4}
      - {id: account, type: strz, size: 30}
      - {id: password, type: strz, size: 30, -proto-dissect: {stream: {server: 'huffman("uo_codes.tsv")'}}}
  select_character:
    seq:
      - {id: pattern, type: u4}
      - {id: name, type: strz, size: 30}
      - {id: reserved, size: 30}
      - {id: slot, type: u4}
      - {id: address, size: 4}
  walk: {seq: [{id: direction, type: u1}, {id: sequence, type: u1}, {id: key, type: u4}]}
  ping: {seq: [{id: sequence, type: u1}]}
  speech:
    seq:
      - {id: kind, type: u1}
      - {id: hue, type: u2}
      - {id: font, type: u2}
      - {id: language, type: strz, size: 4}
      - {id: text, type: strz, encoding: UTF-16BE}
  features: {seq: [{id: flags, type: u2}]}
  login_confirm:
    seq:
      - {id: serial, type: u4}
      - {id: reserved, type: u4}
      - {id: body, type: u2}
      - {id: x, type: u2}
      - {id: y, type: u2}
      - {id: z, type: s2}
      - {id: direction, type: u1}
      - {id: map, size-eos: true}
  walk_accept: {seq: [{id: sequence, type: u1}, {id: notoriety, type: u1}]}
  light: {seq: [{id: level, type: u1}]}
  message:
    seq:
      - {id: serial, type: u4}
      - {id: body, type: u2}
      - {id: kind, type: u1}
      - {id: hue, type: u2}
      - {id: font, type: u2}
      - {id: name, type: strz, size: 30}
      - {id: text, type: strz}
enums:
  client_ops: {0x02: walk, 0x5d: select_character, 0x73: ping, 0x91: game_login, 0xad: speech}
  server_ops: {0x1b: login_confirm, 0x1c: message, 0x22: walk_accept, 0x4f: light, 0x55: login_complete, 0x73: ping, 0xb9: features}
