# What people do with this repository. `make` alone lists it.

PREFIX ?= /usr/local

.DEFAULT_GOAL := help
.PHONY: help setup build demo test test-web bench lint fuzz web serve install deb clean

help: ## list what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install what the build and the tests call, where it is missing
	@scripts/setup

build: setup ## build everything
	cargo build --workspace

demo: setup ## plan and make a two-device raid1 on image files, and look at it
	@scripts/demo

test: build ## run all tests; without root those that need loop devices are skipped and say so
	@status=0; cargo test --workspace --no-fail-fast || status=$$?; $(MAKE) --no-print-directory test-web || status=$$?; exit $$status

test-web: web ## test the page: units, the planner in wasm against the native one, and Chromium
	@scripts/test-web

bench: setup ## measure the planner and the executor
	cargo bench --workspace

lint: setup ## formatting, clippy, documentation, licences, and the planner for browsers
	@scripts/lint

fuzz: setup ## run each fuzz target for a minute (FUZZ_SECONDS), beyond what the tests do
	@scripts/fuzz

web: ## build the page with the planner in it, into web/dist
	@scripts/setup web
	@scripts/web

serve: web ## serve the page at http://localhost:4173
	@cd web && node_modules/.bin/vite preview --host 127.0.0.1 --port 4173

install: ## install the programs, manual pages and completions below PREFIX (/usr/local)
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install

deb: setup ## build a Debian package
	@scripts/deb

clean: ## remove what was built
	cargo clean
