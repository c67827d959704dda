meta: {id: chat, endian: le, encoding: UTF-8}
seq: [{id: messages, type: message, repeat: eos}]
types:
  message:
    seq:
      - {id: kind, type: u1, enum: kinds}
      - {id: len_text, type: u2}
      - {id: text, type: str, size: len_text}
enums:
  kinds: {1: say, 2: whisper}
