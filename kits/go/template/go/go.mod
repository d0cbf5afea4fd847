module contestant

go 1.23.0

require autostrada/kit v0.0.0

replace autostrada/kit => ../../kits/go
