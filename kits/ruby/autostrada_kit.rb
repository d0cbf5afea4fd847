# Shared code of the Ruby contestants: docs/contract.md, sections 3 to 8.

require_relative "autostrada_kit/exchanger"
require_relative "autostrada_kit/feeding"
require_relative "autostrada_kit/receiver"
require_relative "autostrada_kit/serving"
require_relative "autostrada_kit/workers"
