# The everyday entry points; CMake does the work (CMakePresets.json).
.PHONY: build run test test-long bench scree-bench docs install format clean help

PREFIX ?= /usr/local

build: ## build the library and the command: build/scree
	@tools/install-packages.sh build
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target scree scree_static scree_shared

run: build ## build, then run the embedded scene of a hopper that discharges: log, energy balance, picture
	@rm -rf build/run/hopper && mkdir -p build/run
	@build/scree new hopper build/run/hopper >/dev/null
	@build/scree run build/run/hopper
	@echo "The picture is build/run/hopper/scene.run/picture.png; trajectory.vtkhdf beside it opens in ParaView"

test: ## build and run every test: unit, command, manual, sanitizers (also of threads), second compiler, fuzzers
	@tools/install-packages.sh build test
	@tools/test.sh

test-long: ## what is slow and rarely turns red: every template's work counted anew, SCENES=20000 random scenes, an hour; TEST_LONG=--list names the stages
	@tools/install-packages.sh build test
	@tools/test-long.sh $(TEST_LONG)

bench: ## measure speed beside the peers, laws to whole scenes, and record it; BENCH=--quick: a short look, unrecorded; LAMMPS=/path/to/lmp: beside a build of yours
	@tools/install-packages.sh build bench >&2
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target scree scree-bench >&2
	@python3 bench/all.py $(BENCH)

scree-bench: ## build the program behind scree bench impact, laws and drum, and run nothing
	@tools/install-packages.sh build cvode
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target scree scree-bench

docs: ## build the manual: build/docs/html/index.html, and the man pages
	@tools/install-packages.sh build docs
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target man docs
	@echo "The manual is build/docs/html/index.html"

install: build ## install under PREFIX (default /usr/local), inside DESTDIR if given: library, command, man pages, docs
	@tools/install-packages.sh build docs
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target man docs
	@cmake --install build --prefix "$(PREFIX)"

format: ## lay out every .c and .h as .clang-format says
	@tools/check-format.sh --fix

clean: ## remove everything that was built
	@rm -rf build build-debug build-asan build-tsan build-clang build-fuzz

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' Makefile | expand -t 13
