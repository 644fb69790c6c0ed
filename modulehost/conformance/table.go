package conformance

import "context"

// check tests one promise of the contract.
type check struct {
	name     string
	asked    string // the action of the trial
	expected string // the rule
	remedy   string // what an author should do after a failure
	needs    need
	run      func(ctx context.Context, t *trial) outcome
}

// need is the precondition of a check.
type need int

const (
	needNothing  need = iota
	needModule        // a valid package
	needDatabase      // and a schema of its own
	needServer        // a valid package with an executable
	needRunning       // a server that was started
	needRoutes        // a started server with at least one route
	needChannels      // a started server with at least one channel
)

// table returns all checks in the order of a trial. Each may rely on those before it.
func table() []check {
	return []check{
		{
			name: "package and manifest", needs: needNothing, run: checkPackage,
			asked:    "unpack the package, verify its checksum, read module.json and every file that it names",
			expected: "one complete archive that matches its .sha256, and a manifest without a finding",
			remedy:   "correct what the findings name, and pack the module again",
		},
		{
			name: "executable", needs: needNothing, run: checkExecutable,
			asked:    "read the head of the server's executable",
			expected: "a static ELF executable for this machine",
			remedy:   "build it for this platform without a dynamic linker: CGO_ENABLED=0 go build, or gcc -static",
		},
		{
			name: "migrations apply", needs: needDatabase, run: checkMigrations,
			asked:    "apply every file of the migrations folder in an empty schema, as the module's own role",
			expected: "every file runs to its end",
			remedy:   "correct the statement; narthex migrations:apply shows file, line and PostgreSQL's message",
		},
		{
			name: "migrations twice", needs: needDatabase, run: checkMigrationsTwice,
			asked: "apply the migrations again",
			expected: "no file runs again, every checksum is in the history, and nothing in the database changes " +
				"between the two runs",
			remedy: "let migrations create what is in the module's own schema, and leave roles and settings alone",
		},
		{
			name: "handshake", needs: needServer, run: checkHandshake,
			asked:    "start the process and call Register",
			expected: "an answer with ABI 1 within 10 s of the start of the process",
			remedy: "answer Register at once and do no work in it; what the process prints tells why it ended " +
				"(docs/link.md, The life of a process)",
		},
		{
			name: "registration", needs: needServer, run: checkRegistration,
			asked:    "compare what it registered with the rules and with the manifest",
			expected: "valid routes, channels and capabilities, with permissions that the manifest declares",
			remedy:   "correct the declaration that is named, in Register or in module.json",
		},
		{
			name: "start in time", needs: needServer, run: checkStart,
			asked:    "call Start",
			expected: "an answer within 30 s",
			remedy: "do long work after Start has returned, and return its errors; the module's log says why it " +
				"failed",
		},
		{
			name: "stop in time", needs: needServer, run: checkStop,
			asked:    "call Stop, then send SIGTERM",
			expected: "an answer within 10 s",
			remedy:   "end background work by a context that Stop cancels, and wait for it no longer than ctx lasts",
		},
		{
			name: "stop twice", needs: needServer, run: checkStopTwice,
			asked:    "call Stop once more after it was answered",
			expected: "an answer or a failure within 10 s, or a process that has exited with status 0",
			remedy:   "let a second Stop find nothing left to do: close each channel once, and wait for nothing",
		},
		{
			name: "stop after a partial start", needs: needServer, run: checkPartialStart,
			asked:    "cancel Start at its first call of the host, or after 50 ms, and call Stop",
			expected: "an answer to Stop within 10 s",
			remedy: "heed the cancel in Start, and let Stop release what exists and not wait for what Start never " +
				"made",
		},
		{
			name: "routes answer", needs: needRoutes, run: checkRoutes,
			asked:    "send every declared route a small request, as a caller who may",
			expected: "an answer of the module's own within 30 s",
			remedy: "answer what makes no sense with a status of 400 or 404, and let no handler panic or wait " +
				"for ever",
		},
		{
			name: "pings", needs: needRunning, run: checkPings,
			asked:    "ping the process, also while it handles requests",
			expected: "a pong within 10 s, however busy the handlers are",
			remedy:   "answer pings in the code that reads the socket (docs/link.md, rule 5)",
		},
		{
			name: "the probe answers", needs: needRoutes, run: checkProbe,
			asked: "send the route that the module names as its probe a request, with an empty database and " +
				"empty buckets",
			expected: "an answer of the module's own with a status of 2xx",
			remedy: "name a read as the probe that needs no parameter and no object, and that the owner may make " +
				"at any time",
		},
		{
			name: "denied callers", needs: needRoutes, run: checkDenied,
			asked: "send every route a request without a caller, without the permission, and from a foreign " +
				"origin",
			expected: "401 or 403, and no request in the module",
			remedy:   "none in the module: the platform's gates do not hold; report it",
		},
		{
			name: "cancel frees a call", needs: needRoutes, run: checkCancel,
			asked:    "leave every route as soon as the module has the request",
			expected: "the module ends each call within 30 s of its cancel",
			remedy:   "end the handler's work with the request's context",
		},
		{
			name: "bodies of every length", needs: needRoutes, run: checkBodies,
			asked: "send every route with a body 0, 1 and 8,192 bytes, one more, its limit and one more: of known " +
				"length, chunked, and in pieces of 64 KiB",
			expected: "each is answered within 30 s, one over the limit with 413, and the process lives",
			remedy:   "read bodies to their end or not at all, and answer also those that make no sense",
		},
		{
			name: "answers within bounds", needs: needRoutes, run: checkAnswers,
			asked: "look at every answer so far",
			expected: "a status from 200 to 599, at most 8 KiB of body in the message, valid headers of at most " +
				"16 KiB, a Location below the module's own root",
			remedy: "send longer bodies as pieces, and set only headers that pass (docs/reference/modules.md, " +
				"Requests)",
		},
		{
			name: "channel snapshots", needs: needChannels, run: checkChannels,
			asked:    "read every channel until its snapshot",
			expected: "JSON of at most 1 MiB within 10 s",
			remedy:   "let a snapshot hold what a reader needs to begin, and page the rest through a route",
		},
		{
			name: "people", needs: needRunning, run: checkPeople,
			asked:    "erase a person whom the module does not know, twice, and export that person",
			expected: "PersonErased is answered both times within 30 s, PersonExport with JSON within 10 s",
			remedy:   "let both find nothing for an unknown id, which is no error",
		},
		{
			name: "schedules", needs: needRunning, run: checkSchedules,
			asked:    "make one run of each schedule, and ask whether it goes on",
			expected: "an answer or a failure within 30 s, and afterwards no run in progress",
			remedy:   "answer Run when the work has ended, and ask_only at once (docs/link.md, Schedules)",
		},
		{
			name: "capabilities", needs: needRunning, run: checkCapabilities,
			asked:    "call a method of each capability that does not exist",
			expected: "a failure within 10 s, and a process that goes on",
			remedy:   "answer Provide, and refuse the methods that the capability does not have",
		},
		{
			name: "pages and scripts", needs: needModule, run: checkArtifacts,
			asked:    "get every script that the manifest names, as a browser does",
			expected: "the file's own bytes as text/javascript: one ES module with a default export",
			remedy:   "build the script with what web/sdk exports as its default (defineModuleUi, ...)",
		},
		{
			name: "memory", needs: needRunning, run: checkMemory,
			asked:    "send thousands of requests and watch the process's memory",
			expected: "memory that stops growing, below the bound of 256 MiB",
			remedy:   "keep nothing per request beyond its answer; a profile of the process shows what stays",
		},
		{
			name: "crash and restart", needs: needRunning, run: checkCrash,
			asked:    "kill the process with SIGKILL and wait for the next one",
			expected: "a process that registers the same as the first, starts, and answers",
			remedy: "let Register depend on nothing that changes, and let Start clean up what a killed process " +
				"left",
		},
		{
			name: "ends with its host", needs: needRunning, run: checkHangUp,
			asked:    "close both links and leave the process alone",
			expected: "it exits by itself within 5 s",
			remedy:   "exit when descriptor 3 or 4 is closed (docs/link.md, rule 8)",
		},
		{
			name: "output", needs: needServer, run: checkOutput,
			asked:    "stop the module and count what its processes printed",
			expected: "no more than 64 KiB at once and 8 KiB a second",
			remedy:   "print what a crash needs, and send the rest to the platform's log (Host.Log)",
		},
		{
			name: "nothing written outside", needs: needModule, run: checkOutside,
			asked: "compare the package's folder and all of the database but the module's schema with the " +
				"beginning",
			expected: "no difference",
			remedy:   "keep what lasts in the module's own schema and buckets",
		},
	}
}
