module contestant

go 1.23.0

require (
	autostrada/kit v0.0.0
	github.com/coder/websocket v1.8.15
)

require golang.org/x/sys v0.35.0 // indirect

replace autostrada/kit => ../../kits/go
