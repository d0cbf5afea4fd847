# Tests that a failure is one line even if exceptions are rescued.

require "open3"

URL = "ws://127.0.0.1:8008/5"

{ "'no route'" => "no route", '"\n404\nno"' => "404" }.each do |reason, printed|
  code = "require 'autostrada_kit'; " \
         "begin; AutostradaKit::Client.new.fail(#{reason}); ensure; sleep; end"
  _, errors, status = Open3.capture3({ "URL" => URL }, "ruby", "-I.", "-e", code)
  ended = [status.exitstatus, errors]
  abort "got #{ended}" unless ended == [1, "#{URL}: #{printed}\n"]
end
