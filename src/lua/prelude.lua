-- Runs before any script. Gets Lua's own functions and those of the program, and replaces what could escape a limit:
-- what catches errors raises a reached limit again, and library functions count their work before they do it.
local own = ...
local check, spend, fits, refuse, stopped, text = own.check, own.spend, own.fits, own.refuse, own.stopped, own.text
local raw_pcall, raw_xpcall, select, type, rawget, rawset = pcall, xpcall, select, type, rawget, rawset
local co, tab, str, setmeta = coroutine, table, string, setmetatable

function pcall(f, ...) return check(raw_pcall(f, ...)) end
function xpcall(f, handler, ...)
  -- A handler of a reached limit would run where no limit holds.
  return check(raw_xpcall(f, function(e) if stopped() then return e end return handler(text(e)) end, ...))
end
local resume, close = co.resume, co.close
function co.resume(thread, ...) return check(resume(thread, ...)) end
function co.close(thread) return check(close(thread)) end

-- Finalizers run where no limit holds, so there are none.
function setmetatable(t, meta)
  local gc = type(meta) == "table" and rawget(meta, "__gc")
  if not gc then return setmeta(t, meta) end
  rawset(meta, "__gc", nil)
  setmeta(t, meta)
  rawset(meta, "__gc", gc)
  return t
end
function collectgarbage(what)
  if what == "count" then return 0 end
  return 0
end

-- What is short needs no count, and appending is the most common use.
local insert = tab.insert
function tab.insert(t, ...)
  if select("#", ...) == 1 and type(t) == "table" then
    t[#t + 1] = ...
    return
  end
  return insert(t, ...)
end
for name, short in pairs(own.short) do
  local counted = str[name]
  str[name] = function(s, ...)
    if type(s) == "string" and #s <= 64 then return short(s, ...) end
    return counted(s, ...)
  end
end
tab.getn = function(t) return #t end
function tab.maxn(t)
  local most = 0
  for k in pairs(t) do if type(k) == "number" and k > most then most = k end end
  return most
end

for name, f in pairs(own.string) do str[name] = f end
str.gfind, str.dump = str.gmatch, refuse "string.dump"

unpack = tab.unpack
local raw_load, source, concat = load, own.source, tab.concat
function load(chunk, name, mode, env)
  name = name or (type(chunk) == "string" and chunk or "=(load)")
  if type(chunk) == "function" then
    local parts, part = {}, chunk()
    while part and part ~= "" do
      if type(part) ~= "string" then return nil, "reader function must return a string" end
      parts[#parts + 1] = part
      part = chunk()
    end
    chunk = concat(parts)
  end
  chunk = source(chunk)
  if env == nil then return raw_load(chunk, name, "t") end
  return raw_load(chunk, name, "t", env)
end
-- What `==` of two variables becomes (src/lua/equal.rs): buffers and ranges are equal if their bytes are.
local same = own.same
function str.__same(a, b)
  if a == b then return true end
  return type(a) == "userdata" and type(b) == "userdata" and same(a, b)
end
loadstring = load
math.pow = function(x, y) return x ^ y end
math.mod = math.fmod
math.log10 = function(x) return math.log(x, 10) end
math.ldexp = function(m, e) return m * 2.0 ^ e end
math.frexp = own.frexp
math.cosh = function(x) return (math.exp(x) + math.exp(-x)) / 2 end
math.sinh = function(x) return (math.exp(x) - math.exp(-x)) / 2 end
math.tanh = function(x) local a, b = math.exp(x), math.exp(-x) return (a - b) / (a + b) end
math.random, math.randomseed = refuse "math.random", function() end

local set_environment, environment = own.set_environment, own.environment
-- The results are kept in variables: a call at the end would hide the caller.
function getfenv(f)
  local own_environment = environment(f or 1)
  return own_environment or _G
end
function setfenv(f, env)
  local changed = set_environment(f, env)
  return changed
end
function module(name, ...)
  local all, loaded = _G, package.loaded
  local own_module = loaded[name]
  if type(own_module) ~= "table" then
    own_module = all
    for part in str.gmatch(name, "[^.]+") do
      local inner = rawget(own_module, part)
      if inner == nil then
        inner = {}
        rawset(own_module, part, inner)
      elseif type(inner) ~= "table" then
        error("name conflict for module '" .. name .. "'", 2)
      end
      own_module = inner
    end
    loaded[name] = own_module
  end
  if own_module._NAME == nil then
    own_module._M, own_module._NAME = own_module, name
    own_module._PACKAGE = str.match(name, "^(.*%.)[^.]*$") or ""
  end
  local changed = set_environment(1, own_module)
  for at = 1, select("#", ...) do (select(at, ...))(own_module) end
  return changed and nil
end
