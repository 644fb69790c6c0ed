// Command abigen writes abi.pb.go from the abi.proto of a folder. It needs only Go, no protoc. It is not part
// of the SDK, because users of the SDK do not need a protobuf compiler.
package main

//go:generate go run . ../sdk/abi

import (
	"context"
	"log"
	"os"
	"path/filepath"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/cmd/protoc-gen-go/internal_gengo"
	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

const source = "abi.proto"

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: abigen DIR")
	}
	folder := os.Args[1]
	compiler := protocompile.Compiler{
		Resolver:       &protocompile.SourceResolver{ImportPaths: []string{folder}},
		SourceInfoMode: protocompile.SourceInfoStandard, // comments become doc comments
	}
	files, err := compiler.Compile(context.Background(), source)
	if err != nil {
		log.Fatal(err)
	}
	plugin, err := protogen.Options{}.New(&pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{source},
		Parameter:      proto.String("paths=source_relative"),
		ProtoFile:      []*descriptorpb.FileDescriptorProto{protoutil.ProtoFromFileDescriptor(files[0])},
	})
	if err != nil {
		log.Fatal(err)
	}
	internal_gengo.GenerateFile(plugin, plugin.Files[0])
	for _, file := range plugin.Response().GetFile() {
		path := filepath.Join(folder, file.GetName())
		if err := os.WriteFile(path, []byte(file.GetContent()), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
