meta:
  id: habbo
  title: Habbo Hotel, with the message numbers of one release
  license: CC0-1.0
  endian: be
  encoding: UTF-8
  -proto-dissect:
    transport: tcp
    ports: [30000]
    roots: {client: client_stream, server: server_stream}
    name: body.op
    session:
      shared_secret: key     # what the Diffie-Hellman exchange agrees on
doc: |
  After a Diffie-Hellman exchange the client encrypts all it sends with RC4. The server does so as well if it states it.
  Each release has other numbers of messages, apart from the first one.
params:
  - {id: shared_secret, type: bytes}
types:
  client_stream: {seq: [{id: messages, type: client_message, repeat: eos}]}
  server_stream: {seq: [{id: messages, type: server_message, repeat: eos}]}
  client_message: {seq: [{id: len_body, type: u4, valid: {min: 2, max: 0x20000}}, {id: body, type: client_body, size: len_body}]}
  server_message: {seq: [{id: len_body, type: u4, valid: {min: 2, max: 0x20000}}, {id: body, type: server_body, size: len_body}]}
  client_body:
    seq:
      - {id: op, type: u2, enum: client_ops, valid: {in-enum: true}}
      - id: data
        size-eos: true
        type:
          switch-on: op
          cases:
            'client_ops::hello': hello
            'client_ops::complete_handshake': public_key
            'client_ops::sso_ticket': sso_ticket
            'client_ops::walk': walk
            'client_ops::chat': chat
            'client_ops::latency': latency
  server_body:
    seq:
      - {id: op, type: u2, enum: server_ops, valid: {in-enum: true}}
      - id: data
        size-eos: true
        type:
          switch-on: op
          cases:
            'server_ops::begin_handshake': primes
            'server_ops::complete_handshake': handshake
            'server_ops::chat': room_chat
            'server_ops::latency': latency
  hello: {seq: [{id: release, type: text}, {id: kind, type: text}, {id: platform, type: u4}, {id: device, type: u4}]}
  primes: {seq: [{id: p, type: text}, {id: g, type: text}]}
  public_key: {seq: [{id: public, type: text}]}
  handshake:
    seq:
      - {id: public, type: text}
      - id: is_both
        type: u1
        doc: Whether the server encrypts as well.
        -proto-dissect:
          stream:
            client: rc4(_root.shared_secret)
            server: 'rc4(is_both == 1 ? _root.shared_secret : [])'
  sso_ticket: {seq: [{id: ticket, type: text}, {id: ms, type: u4}]}
  walk: {seq: [{id: x, type: s4}, {id: y, type: s4}]}
  chat: {seq: [{id: text, type: text}, {id: style, type: u4}, {id: number, type: s4}]}
  room_chat: {seq: [{id: who, type: u4}, {id: text, type: text}, {id: gesture, type: u4}, {id: style, type: u4}]}
  latency: {seq: [{id: number, type: u4}]}
  text: {seq: [{id: len_s, type: u2}, {id: s, type: str, size: len_s}]}
enums:
  client_ops: {4000: hello, 3110: begin_handshake, 773: complete_handshake, 2419: sso_ticket, 3320: walk, 1314: chat, 295: latency}
  server_ops: {1347: begin_handshake, 3885: complete_handshake, 2491: authenticated, 1446: chat, 10: latency}
