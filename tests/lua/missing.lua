-- What is not supported yet: an error where it is used.
GRegex.new("a+")
