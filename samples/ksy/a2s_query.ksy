meta:
  id: a2s_query
  title: Queries of Valve's game servers
  license: CC0-1.0
  endian: le
  encoding: UTF-8
  -proto-dissect:
    transport: udp
    magic:
      - [0xff, 0xff, 0xff, 0xff, 'T']
      - [0xff, 0xff, 0xff, 0xff, 'U']
      - [0xff, 0xff, 0xff, 0xff, 'V']
      - [0xff, 0xff, 0xff, 0xff, 'W']
      - [0xff, 0xff, 0xff, 0xff, 'A']
      - [0xff, 0xff, 0xff, 0xff, 'D']
      - [0xff, 0xff, 0xff, 0xff, 'E']
      - [0xff, 0xff, 0xff, 0xff, 'I']
      - [0xfe, 0xff, 0xff, 0xff]
    name: 'is_part ? "part" : f"{body.as<query>.kind}"'
doc-ref: https://developer.valvesoftware.com/wiki/Server_queries
seq:
  - id: header
    type: s4
    valid: {any-of: [-1, -2]}
  - id: body
    type:
      switch-on: is_part
      cases:
        true: part
        false: query
instances:
  is_part:
    value: header == -2
types:
  part:
    seq:
      - {id: answer, type: u4}
      - {id: payload, size-eos: true, doc: Engines differ in what stands before the bytes of the answer.}
  query:
    seq:
      - id: kind
        type: u1
        enum: kind
        valid: {in-enum: true}
      - id: content
        type:
          switch-on: kind
          cases:
            'kind::info_request': info_request
            'kind::players_request': challenged
            'kind::rules_request': challenged
            'kind::challenge_request': challenged
            'kind::challenge': challenged
            'kind::players': players
            'kind::rules': rules
            'kind::info': info
  info_request:
    seq:
      - id: payload
        type: strz
        valid: '"Source Engine Query"'
      - id: challenge
        type: s4
        if: not _io.eof
  challenged:
    seq:
      - id: challenge
        type: s4
        if: not _io.eof
  players:
    seq:
      - {id: num_players, type: u1}
      - {id: players, type: player, repeat: eos}
  player:
    seq:
      - {id: index, type: u1}
      - {id: name, type: strz}
      - {id: score, type: s4}
      - {id: seconds, type: f4}
    to-string: name
  rules:
    seq:
      - {id: num_rules, type: u2}
      - {id: rules, type: rule, repeat: expr, repeat-expr: num_rules}
  rule:
    seq:
      - {id: name, type: strz}
      - {id: value, type: strz}
    to-string: f"{name} = {value}"
  info:
    seq:
      - {id: protocol, type: u1}
      - {id: name, type: strz}
      - {id: map, type: strz}
      - {id: folder, type: strz}
      - {id: game, type: strz}
      - {id: app, type: u2}
      - {id: players, type: u1}
      - {id: max_players, type: u1}
      - {id: bots, type: u1}
      - {id: server_type, type: u1, enum: server_type}
      - {id: environment, type: u1, enum: environment}
      - {id: visibility, type: u1, enum: visibility}
      - {id: vac, type: u1}
      - {id: ship, type: ship, if: app == 2400}
      - {id: version, type: strz}
      - {id: extra, type: extra, if: not _io.eof}
    to-string: f"{name}, {map}, {players}/{max_players}"
  ship:
    doc: What only The Ship adds.
    seq:
      - {id: mode, type: u1}
      - {id: witnesses, type: u1}
      - {id: duration, type: u1}
  extra:
    meta:
      bit-endian: le
    seq:
      - {id: flags, type: u1}
      - {id: port, type: u2, if: (flags & 0x80) != 0}
      - {id: steam_id, type: u8, if: (flags & 0x10) != 0}
      - {id: tv_port, type: u2, if: (flags & 0x40) != 0}
      - {id: tv_name, type: strz, if: (flags & 0x40) != 0}
      - {id: keywords, type: strz, if: (flags & 0x20) != 0}
      - {id: game_id, type: u8, if: (flags & 0x01) != 0}
enums:
  kind:
    0x41: challenge
    0x44: players
    0x45: rules
    0x49: info
    0x54: info_request
    0x55: players_request
    0x56: rules_request
    0x57: challenge_request
  server_type:
    0x64: dedicated
    0x6c: listen
    0x70: sourcetv
  environment:
    0x6c: linux
    0x6d: mac
    0x6f: mac_os
    0x77: windows
  visibility:
    0: public
    1: private
