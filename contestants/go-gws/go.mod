module contestant

go 1.23.0

require (
	autostrada/kit v0.0.0
	github.com/lxzan/gws v1.8.9
)

require (
	github.com/dolthub/maphash v0.1.0 // indirect
	github.com/klauspost/compress v1.17.9 // indirect
	golang.org/x/sys v0.35.0 // indirect
)

replace autostrada/kit => ../../kits/go
