# Shared code of the Ruby contestants, as docs/contract.md says.

require_relative "autostrada_kit/client"
require_relative "autostrada_kit/server"
