meta: {id: stamped, imports: [/stamp]}
seq: [{id: sent, type: stamp}]
