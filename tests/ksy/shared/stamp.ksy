meta: {id: stamp, endian: le}
seq: [{id: seconds, type: u4}]
