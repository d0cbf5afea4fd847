module contestant

go 1.23.0

require (
	autostrada/kit v0.0.0
	github.com/gorilla/websocket v1.5.3
)

require golang.org/x/sys v0.35.0 // indirect

replace autostrada/kit => ../../kits/go
