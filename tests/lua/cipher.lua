-- Ciphers with published vectors, and the errors of Libgcrypt.
local p = Proto('cipher', 'Cipher')
local f = ProtoField.string('cipher.wrong', 'Wrong')
local g = ProtoField.uint32('cipher.cases', 'Cases')
p.fields = {f, g}
local B, count, wrong = ByteArray.new, 0, {}
local function case(algorithm, mode, key, iv, plain, encrypted)
  count = count + 1
  do
    local cipher = GcryptCipher.open(_G['GCRY_CIPHER_' .. algorithm], _G['GCRY_CIPHER_MODE_' .. mode], 0)
    cipher:setkey(B(key))
    if iv then if mode == 'CTR' then cipher:setctr(B(iv), #iv / 2) else cipher:setiv(B(iv)) end end
    local given = cipher:encrypt(NULL, B(plain)):tohex(true)
    if given ~= encrypted then wrong[#wrong + 1] = algorithm .. mode .. given end
    cipher:ctl(GCRYCTL_RESET, B())
    if iv then if mode == 'CTR' then cipher:setctr(B(iv), #iv / 2) else cipher:setiv(B(iv)) end end
    local data = B(encrypted)
    cipher:decrypt(data)
    if data:tohex(true) ~= plain then wrong[#wrong + 1] = algorithm .. mode .. data:tohex() end
  end
end
local key, iv = '2b7e151628aed2a6abf7158809cf4f3c', '000102030405060708090a0b0c0d0e0f'
local plain = '6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51'
case('AES', 'ECB', iv, nil, '00112233445566778899aabbccddeeff', '69c4e0d86a7b0430d8cdb78070b4c55a')
case('AES128', 'CBC', key, iv, plain, '7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2')
case('AES128', 'CFB8', key, iv, '6bc1bee22e409f96e93d7e117393172aae2d', '3b79424c9c0dd436bace9e0ed4586a4f32b9')
case('AES128', 'CFB', key, iv, plain, '3b3fd92eb72dad20333449f8e83cfb4ac8a64537a0b3a93fcde3cdad9f1ce58b')
case('AES128', 'OFB', key, iv, plain, '3b3fd92eb72dad20333449f8e83cfb4a7789508d16918f03f53c52dac54ed825')
case('AES128', 'CTR', key, 'f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff', plain, '874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff')
case('AES256', 'ECB', iv .. '101112131415161718191a1b1c1d1e1f', nil, '00112233445566778899aabbccddeeff', '8ea2b7ca516745bfeafc49904b496089')
case('DES', 'ECB', '133457799bbcdff1', nil, '0123456789abcdef', '85e813540f0ab405')
case('3DES', 'ECB', '0123456789abcdef23456789abcdef01456789abcdef0123', nil, '5468652071756663', 'a826fd8ce53b855f')
case('BLOWFISH', 'ECB', '0000000000000000', nil, '0000000000000000', '4ef997456198dd78')
case('BLOWFISH', 'ECB', 'f0', nil, 'fedcba9876543210', 'f9ad597c49db005e')
case('TWOFISH', 'ECB', ('00'):rep(32), nil, ('00'):rep(16), '57ff739d4dc92c1bd7fc01700cc8216f')
case('ARCFOUR', 'STREAM', '0102030405', nil, '00000000000000000000000000000000', 'b2396305f03dc027ccc3524a0a1118a8')
local function fails(f, ...) local _, e = pcall(f, ...) wrong[#wrong + 1] = e:gsub('^.-:%d+: ', '') end
fails(GcryptCipher.open, 9999, GCRY_CIPHER_MODE_ECB, 0)
fails(GcryptCipher.open, GCRY_CIPHER_AES, GCRY_CIPHER_MODE_STREAM, 0)
fails(GcryptCipher.open, GCRY_CIPHER_AES, GCRY_CIPHER_MODE_GCM, 0)
local cipher = GcryptCipher.open(GCRY_CIPHER_AES, GCRY_CIPHER_MODE_ECB, 0)
fails(cipher.encrypt, cipher, NULL, B('00'))
fails(cipher.setkey, cipher, B('00'))
cipher:setkey(B(key))
fails(cipher.decrypt, cipher, NULL, B('00'))
wrong[#wrong + 1] = gcry_cipher_algo_name(GCRY_CIPHER_BLOWFISH) .. gcry_cipher_map_name('aes256')
  .. gcry_cipher_get_algo_keylen(GCRY_CIPHER_3DES) .. gcry_cipher_get_algo_blklen(GCRY_CIPHER_AES)
function p.dissector(tvb, pinfo, tree)
  for _, text in ipairs(wrong) do tree:add(f, text) end
  tree:add(g, count)
end
DissectorTable.get('udp.port'):add(9998, p)
