// Program objects reads manifests as Helm does when it installs them: the text is split and decoded by the libraries of Kubernetes, and
// lists become their items. Each line of its input is a JSON text with a manifest, each line of its output the answer.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// answer has the objects of a manifest, or why it was refused.
type answer struct {
	Objects []map[string]any `json:"objects,omitempty"`
	Error   string           `json:"error,omitempty"`
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var manifest string
		if err := json.Unmarshal(line, &manifest); err != nil {
			panic(err)
		}
		objects, err := read(manifest)
		result := answer{Objects: objects}
		if err != nil {
			result = answer{Error: err.Error()}
		}
		if err := encoder.Encode(result); err != nil {
			panic(err)
		}
	}
}

// read does what the stream visitor and the flattening visitor of k8s.io/cli-runtime do.
func read(manifest string) ([]map[string]any, error) {
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader([]byte(manifest)), 4096)
	objects := []map[string]any{}
	for {
		var document runtime.RawExtension
		if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
			return objects, nil
		} else if err != nil {
			return nil, err
		}
		raw := bytes.TrimSpace(document.Raw)
		if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
			continue
		}
		found, err := flatten(raw)
		if err != nil {
			return nil, err
		}
		objects = append(objects, found...)
	}
}

func flatten(raw []byte) ([]map[string]any, error) {
	object, _, err := unstructured.UnstructuredJSONScheme.Decode(raw, nil, nil)
	if err != nil {
		return nil, err
	}
	list, isList := object.(*unstructured.UnstructuredList)
	if !isList {
		return []map[string]any{object.(*unstructured.Unstructured).Object}, nil
	}
	objects := []map[string]any{}
	for _, item := range list.Items {
		inner, err := json.Marshal(item.Object)
		if err != nil {
			return nil, err
		}
		found, err := flatten(inner)
		if err != nil {
			return nil, err
		}
		objects = append(objects, found...)
	}
	return objects, nil
}
