module contestant

go 1.26

require (
	autostrada/kit v0.0.0
	github.com/gobwas/ws v1.5.0
)

require (
	github.com/gobwas/httphead v0.1.0 // indirect
	golang.org/x/sys v0.35.0 // indirect
)

replace autostrada/kit => ../../kits/go
