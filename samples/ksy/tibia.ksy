meta:
  id: tibia
  title: Tibia 8.60, game server
  license: CC0-1.0
  endian: le
  encoding: ISO-8859-1
  -proto-dissect:
    transport: tcp
    ports: [7172]
    roots: {client: client_stream, server: server_stream}
    name: body.first
    session:
      xtea_key: key     # 16 bytes, which the client sends inside of the RSA block
doc: |
  Behind the login of each side, messages are encrypted one by one with XTEA, in blocks of eight bytes. A message holds
  several commands, whose numbers decide what follows.
params:
  - {id: xtea_key, type: bytes}
types:
  client_stream: {seq: [{id: login, type: login}, {id: messages, type: client_message, repeat: eos}]}
  server_stream: {seq: [{id: challenge, type: challenge}, {id: messages, type: server_message, repeat: eos}]}
  login:
    seq:
      - {id: len_rest, type: u2, valid: 137}
      - {id: adler32, type: u4}
      - {id: command, type: u1, valid: 10}
      - {id: system, type: u2, enum: systems}
      - {id: version, type: u2}
      - {id: rsa, size: 128}
  challenge:
    seq:
      - {id: len_rest, type: u2, valid: 12}
      - {id: adler32, type: u4}
      - {id: len_command, type: u2, valid: 6}
      - {id: command, type: u1, valid: 0x1f}
      - {id: time, type: u4}
      - {id: random, type: u1}
  client_message:
    seq:
      - {id: len_rest, type: u2, valid: {expr: _ > 4 and _ % 8 == 4}}
      - {id: adler32, type: u4, doc: Of the encrypted bytes.}
      - {id: body, type: client_body, size: len_rest - 4, process: xtea(_root.xtea_key)}
  server_message:
    seq:
      - {id: len_rest, type: u2, valid: {expr: _ > 4 and _ % 8 == 4}}
      - {id: adler32, type: u4, doc: Of the encrypted bytes.}
      - {id: body, type: server_body, size: len_rest - 4, process: xtea(_root.xtea_key)}
  client_body:
    seq:
      - {id: len_commands, type: u2, valid: {min: 1, max: _io.size - 2}}
      - {id: commands, type: client_commands, size: len_commands}
      - {id: padding, size-eos: true, valid: {expr: _.length < 8}}
    instances: {first: {value: commands.list.first.command}}
  server_body:
    seq:
      - {id: len_commands, type: u2, valid: {min: 1, max: _io.size - 2}}
      - {id: commands, type: server_commands, size: len_commands}
      - {id: padding, size-eos: true, valid: {expr: _.length < 8}}
    instances: {first: {value: commands.list.first.command}}
  client_commands: {seq: [{id: list, type: client_command, repeat: eos}]}
  server_commands: {seq: [{id: list, type: server_command, repeat: eos}]}
  client_command:
    seq:
      - {id: command, type: u1, enum: client_commands, valid: {in-enum: true}}
      - {id: data, type: {switch-on: command, cases: {'client_commands::say': say}}}
  server_command:
    seq:
      - {id: command, type: u1, enum: server_commands, valid: {in-enum: true}}
      - id: data
        type:
          switch-on: command
          cases:
            'server_commands::creature_move': creature_move
            'server_commands::world_light': light
            'server_commands::creature_say': creature_say
            'server_commands::text_message': text_message
  position: {seq: [{id: x, type: u2}, {id: y, type: u2}, {id: z, type: u1}]}
  say: {seq: [{id: kind, type: u1}, {id: text, type: text}]}
  light: {seq: [{id: level, type: u1}, {id: colour, type: u1}]}
  creature_move: {seq: [{id: from, type: position}, {id: stack, type: u1}, {id: to, type: position}]}
  creature_say:
    seq:
      - {id: number, type: u4}
      - {id: name, type: text}
      - {id: level, type: u2}
      - {id: kind, type: u1}
      - {id: at, type: position, if: kind <= 3}
      - {id: text, type: text}
  text_message: {seq: [{id: kind, type: u1}, {id: text, type: text}]}
  text: {seq: [{id: len_s, type: u2}, {id: s, type: str, size: len_s}]}
enums:
  systems: {1: linux, 2: windows}
  client_commands: {0x14: logout, 0x1e: ping, 0x65: walk_north, 0x66: walk_east, 0x67: walk_south, 0x68: walk_west, 0x96: say}
  server_commands: {0x1e: ping, 0x6d: creature_move, 0x82: world_light, 0xaa: creature_say, 0xb4: text_message}
