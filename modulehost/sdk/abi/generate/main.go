// Command generate writes abi.pb.go from abi.proto with Go alone: no protoc to install.
package main

import (
	"context"
	"log"
	"os"

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
	compiler := protocompile.Compiler{
		Resolver:       &protocompile.SourceResolver{},
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
		if err := os.WriteFile(file.GetName(), []byte(file.GetContent()), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
