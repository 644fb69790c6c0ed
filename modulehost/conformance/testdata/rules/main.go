// Command rules is a module that speaks the link by itself and breaks one rule of docs/link.md: the one that
// the name of its executable has. With another name it keeps all of them.
package main

import (
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// The kinds of frames.
const (
	call = 1 + iota
	answer
	failure
	cancel
	ping
	pong
	lend
	want
)

const (
	hostCalls   = 3
	moduleCalls = 4
)

func main() {
	m := &module{breaks: filepath.Base(os.Args[0]), in: os.NewFile(hostCalls, "in"),
		out: os.NewFile(moduleCalls, "out")}
	for m.serveOne() {
	}
}

type module struct {
	breaks  string
	in, out *os.File
}

// frame is a frame with its head.
func frame(length uint32, kind, method byte, id uint32, payload []byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, length)
	b = append(b, kind, method)
	b = binary.LittleEndian.AppendUint32(b, id)
	return append(b, payload...)
}

func (m *module) send(kind, method byte, id uint32, payload []byte) {
	_, _ = m.in.Write(frame(uint32(6+len(payload)), kind, method, id, payload))
}

func (m *module) answer(id uint32, response proto.Message) {
	payload, err := proto.Marshal(response)
	if err != nil {
		os.Exit(3)
	}
	m.send(answer, 0, id, payload)
}

// serveOne serves one frame; false: the host is gone.
func (m *module) serveOne() bool {
	var head [10]byte
	if _, err := io.ReadFull(m.in, head[:]); err != nil {
		return false
	}
	payload := make([]byte, binary.LittleEndian.Uint32(head[:])-6)
	if _, err := io.ReadFull(m.in, payload); err != nil {
		return false
	}
	id := binary.LittleEndian.Uint32(head[6:])
	switch head[4] {
	case ping:
		if m.breaks != "rule-5" {
			m.send(pong, 0, id, nil)
		}
	case call:
		m.serve(abi.Method(head[5]), id, payload)
	}
	return true
}

func (m *module) serve(method abi.Method, id uint32, payload []byte) {
	switch method {
	case abi.Method_METHOD_REGISTER:
		m.answer(id, &abi.RegisterResponse{Abi: 1, Routes: []*abi.Route{
			{Method: "GET", Path: "/first", Permission: "trial.use"},
			{Method: "POST", Path: "/second", Permission: "trial.use", MaxBodyBytes: 1 << 20,
				BodyMode: abi.BodyMode_BODY_MODE_STREAMED},
			{Method: "GET", Path: "/third", Permission: "trial.use"},
		}, Schedules: []*abi.Schedule{{Name: "tidy", IntervalSeconds: 60}}, Capabilities: []string{"trial.things"}})
	case abi.Method_METHOD_START:
		m.answer(id, &abi.StartResponse{})
	case abi.Method_METHOD_STOP:
		m.answer(id, &abi.StopResponse{})
	case abi.Method_METHOD_RUN:
		m.run(id, payload)
	case abi.Method_METHOD_PROVIDE:
		m.provide(id)
	case abi.Method_METHOD_HANDLE:
		var request abi.HandleRequest
		if proto.Unmarshal(payload, &request) != nil {
			os.Exit(3)
		}
		if request.GetRoute() == 1 {
			m.second(id, &request)
		} else {
			m.answer(id, &abi.HandleResponse{Status: 204})
		}
	default:
		m.fail(id, "METHOD_UNKNOWN")
	}
}

func (m *module) fail(id uint32, code string) {
	m.send(failure, 0, id, append([]byte{byte(len(code))}, code...))
}

func (m *module) run(id uint32, payload []byte) {
	var request abi.RunRequest
	switch err := proto.Unmarshal(payload, &request); {
	case err != nil, m.breaks == "knows-no-run":
		m.fail(id, "METHOD_UNKNOWN")
	case m.breaks == "runs-on":
		m.answer(id, &abi.RunResponse{Running: request.GetAskOnly()})
	default:
		m.answer(id, &abi.RunResponse{})
	}
}

func (m *module) provide(id uint32) {
	switch m.breaks {
	case "knows-no-capability":
		m.fail(id, "METHOD_UNKNOWN")
	case "answers-anything":
		m.answer(id, &abi.ProvideResponse{Output: []byte("1")})
	default:
		m.fail(id, "FAILED")
	}
}

// unknown is a method that the host does not have.
const unknown = 255

// callSlowly sends a call that the host answers in five seconds, with the id 1.
func (m *module) callSlowly() {
	slow, _ := proto.Marshal(&abi.ExecRequest{Sql: "SELECT pg_sleep(5)"})
	_, _ = m.out.Write(frame(uint32(6+len(slow)), call, byte(abi.Method_METHOD_EXEC), 1, slow))
}

// second answers POST /second, or breaks the rule. After a call of its own that breaks it, it does not
// answer: the host might read the answer first, and ask the next route.
func (m *module) second(id uint32, request *abi.HandleRequest) {
	switch m.breaks {
	case "rule-1":
		return
	case "rule-7.1":
		_, _ = m.in.Write(frame(5, answer, 0, id, nil))
	case "rule-7.2":
		m.send(99, 0, id, nil)
	case "rule-7.3":
		m.send(want, 0, id, []byte("x"))
	case "rule-7.4":
		_, _ = m.in.Write(frame(106, answer, 0, id, []byte("half")))
		_ = m.in.Close()
		time.Sleep(time.Hour)
	case "rule-7.5":
		m.answer(id, &abi.HandleResponse{Status: 204})
		m.answer(id, &abi.HandleResponse{Status: 204})
	case "rule-7.6":
		m.send(answer, 0, id, []byte{0xff})
	case "rule-7.7":
		m.callSlowly()
		m.callSlowly()
	case "rule-7.8":
		m.callSlowly()
		_, _ = m.out.Write(frame(6, lend, 0, 1, nil))
	case "rule-7.10": // it calls and calls, and reads no answer
		var calls []byte
		for n := range uint32(100_000) {
			calls = append(calls, frame(6, call, unknown, 1+n, nil)...)
		}
		_, _ = m.out.Write(calls) // until the link is lost
	case "rule-7.11":
		head, _ := proto.Marshal(&abi.HandleResponse{Status: 200})
		m.send(answer, 1, id, head)
		_, _ = os.NewFile(uintptr(request.GetBodySocket()), "body").Write([]byte{9, 1, 0, 0, 'x'})
	case "rule-8":
		_ = m.out.Close()
	default:
		m.answer(id, &abi.HandleResponse{Status: 204})
	}
}
