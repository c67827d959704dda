meta:
  id: wow335
  title: World of Warcraft 3.3.5, world server
  license: CC0-1.0
  endian: le
  encoding: UTF-8
  -proto-dissect:
    transport: tcp
    ports: [8085]
    roots: {client: client_stream, server: server_stream}
    name: op
    session:
      session_key: key     # 40 bytes, column session_key of the account in the server's database
      client_key: '[]'     # an empty key leaves bytes as they are
      server_key: '[]'
doc: |
  Only headers are encrypted, with a keystream for each direction that goes on over all of them; its first 1,024 bytes are
  not used. The keys are digests of the session key, and they take effect behind the login.
params:
  - {id: session_key, type: bytes}
  - {id: client_key, type: bytes}
  - {id: server_key, type: bytes}
types:
  client_stream: {seq: [{id: messages, type: client_message, repeat: eos}]}
  server_stream: {seq: [{id: messages, type: server_message, repeat: eos}]}
  client_message:
    seq:
      - id: head
        type: client_head
        size: 6
        process: 'rc4(_root.client_key, 1024)'
        -proto-dissect: {continue: head}
      - id: body
        size: head.len_rest - 4
        type:
          switch-on: op
          cases:
            'ops::cmsg_auth_session': auth_session
            'ops::cmsg_ping': ping
            'ops::cmsg_messagechat': chat
    instances:
      op: {value: head.op}
  client_head:
    seq:
      - {id: len_rest, type: u2be, valid: {min: 4}, doc: Size without these two bytes.}
      - {id: op, type: u4, enum: ops, valid: {expr: _.to_i <= 0x520}}
  server_message:
    seq:
      - id: head
        type: server_head
        size: 4
        process: 'rc4(_root.server_key, 1024)'
        -proto-dissect: {continue: head}
      - id: more
        type: one
        size: 1
        process: 'rc4(_root.server_key, 1024)'
        if: head.is_large
        -proto-dissect: {continue: head}
        doc: Messages of 32 KiB and more have a header of five bytes.
      - {id: sane, size: 0, valid: {expr: op.to_i <= 0x520 and len_rest >= 2}}
      - id: body
        size: len_rest - 2
        type:
          switch-on: op
          cases:
            'ops::smsg_auth_challenge': auth_challenge
            'ops::smsg_auth_response': auth_response
            'ops::smsg_pong': pong
            'ops::smsg_messagechat': message_chat
    instances:
      len_rest: {value: 'head.is_large ? (head.b[0] & 127) << 16 | head.b[1] << 8 | head.b[2] : head.b[0] << 8 | head.b[1]'}
      op: {value: 'head.is_large ? head.b[3] | more.v << 8 : head.b[2] | head.b[3] << 8', enum: ops}
  server_head:
    seq: [{id: b, type: u1, repeat: expr, repeat-expr: 4}]
    instances:
      is_large: {value: 'b[0] >= 128'}
  one: {seq: [{id: v, type: u1}]}
  auth_challenge:
    seq: [{id: one, type: u4}, {id: seed, type: u4}, {id: seeds, size: 32}]
  auth_session:
    seq:
      - {id: build, type: u4}
      - {id: login_server, type: u4}
      - {id: account, type: strz}
      - {id: login_server_type, type: u4}
      - {id: client_seed, type: u4}
      - {id: region, type: u4}
      - {id: battlegroup, type: u4}
      - {id: realm, type: u4}
      - {id: dos_response, type: u8}
      - {id: digest, size: 20, doc: Proof that the client knows the session key.}
      - {id: len_unpacked, type: u4}
      - id: addons
        size-eos: true
        process: zlib
        -proto-dissect:
          set:
            client_key: hmac_sha1([0xc2, 0xb3, 0x72, 0x3c, 0xc6, 0xae, 0xd9, 0xb5, 0x34, 0x3c, 0x53, 0xee, 0x2f, 0x43, 0x67, 0xce], _root.session_key)
            server_key: hmac_sha1([0xcc, 0x98, 0xae, 0x04, 0xe8, 0x97, 0xea, 0xca, 0x12, 0xdd, 0xc0, 0x93, 0x42, 0x91, 0x53, 0x57], _root.session_key)
  auth_response:
    seq: [{id: result, type: u1}, {id: billing_left, type: u4}, {id: billing_flags, type: u1}, {id: billing_rested, type: u4}, {id: expansion, type: u1}]
  ping: {seq: [{id: sequence, type: u4}, {id: latency, type: u4}]}
  pong: {seq: [{id: sequence, type: u4}]}
  chat: {seq: [{id: kind, type: u4}, {id: language, type: u4}, {id: text, type: strz}]}
  message_chat:
    seq:
      - {id: kind, type: u1}
      - {id: language, type: u4}
      - {id: sender, type: u8}
      - {id: flags, type: u4}
      - {id: receiver, type: u8}
      - {id: len_text, type: u4}
      - {id: text, type: strz, size: len_text}
      - {id: tag, type: u1}
enums:
  ops:
    0x095: cmsg_messagechat
    0x096: smsg_messagechat
    0x1dc: cmsg_ping
    0x1dd: smsg_pong
    0x1ec: smsg_auth_challenge
    0x1ed: cmsg_auth_session
    0x1ee: smsg_auth_response
