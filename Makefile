# The commands of the house. `go run . --demo` and `go test ./...` need none of them.

.PHONY: test race bench sizes lint screenshots png ci

test:
	go test ./...

race:
	go test -race -shuffle=on ./...

bench:
	go test -run '^$$' -bench . -benchmem ./...

sizes:
	go run ./internal/sizes

lint:
	golangci-lint run

screenshots:
	go run ./screenshots

# PNGs of the screenshots, where there is a Chromium.
png: screenshots
	for f in screenshots/*.svg; do \
	  chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=1.5 \
	    --window-size=$$(sed -n '1s/.*width="\([0-9]*\)" height="\([0-9]*\)".*/\1,\2/p' $$f) \
	    --screenshot=$${f%.svg}.png file://$$PWD/$$f; \
	done

ci:
	.ci/run
