// Program helm renders charts with the engine of Helm 4 and stays running: it reads a request in each line of its input, and
// answers in a line of its output. The script hack/gotemplate/differential.ts compares the answers with those of internal/templates/helm.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"sort"
	"strings"
	"syscall"

	"helm.sh/helm/v4/pkg/chart/common"
	commonutil "helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/loader/archive"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
	releaseutil "helm.sh/helm/v4/pkg/release/v1/util"
)

// request is a chart by its files, in the order of their names, and values to merge over its own.
type request struct {
	Files  map[string]string `json:"files"`
	Values map[string]any    `json:"values"`
}

// answer has the text that `helm template` prints, or why the chart was refused.
type answer struct {
	Output *string `json:"output,omitempty"`
	Error  *string `json:"error,omitempty"`
}

func main() {
	// A template can make it allocate without end; then it ends, and is started again.
	limit := syscall.Rlimit{Cur: 2 << 30, Max: 2 << 30}
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &limit); err != nil {
		panic(err)
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	log.SetOutput(io.Discard)
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		if err := encoder.Encode(respond(line)); err != nil {
			panic(err)
		}
		out.Flush()
	}
}

func respond(line []byte) (result answer) {
	defer func() {
		if r := recover(); r != nil {
			text := fmt.Sprint("panic: ", r)
			result = answer{Error: &text}
		}
	}()
	var r request
	if err := json.Unmarshal(line, &r); err != nil {
		panic(err)
	}
	output, err := render(r)
	if err != nil {
		text := err.Error()
		return answer{Error: &text}
	}
	return answer{Output: &output}
}

func render(r request) (string, error) {
	names := make([]string, 0, len(r.Files))
	for name := range r.Files {
		names = append(names, name)
	}
	sort.Strings(names)
	var files []*archive.BufferedFile
	for _, name := range names {
		files = append(files, &archive.BufferedFile{Name: name, Data: []byte(r.Files[name])})
	}
	chart, err := loader.LoadFiles(files)
	if err != nil {
		return "", err
	}
	if err := chartutil.ProcessDependencies(chart, r.Values); err != nil {
		return "", err
	}
	options := common.ReleaseOptions{Name: "rel", Namespace: "default", Revision: 1, IsInstall: true}
	values, err := commonutil.ToRenderValues(chart, r.Values, options, nil)
	if err != nil {
		return "", err
	}
	outputs, err := engine.Render(chart, values)
	if err != nil {
		return "", err
	}
	for path := range outputs {
		if strings.HasSuffix(path, "NOTES.txt") {
			delete(outputs, path)
		}
	}
	_, manifests, err := releaseutil.SortManifests(outputs, nil, releaseutil.InstallOrder)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for _, crd := range chart.CRDObjects() {
		fmt.Fprintf(&text, "---\n# Source: %s\n%s\n", crd.Filename, string(crd.File.Data))
	}
	for _, m := range manifests {
		fmt.Fprintf(&text, "---\n# Source: %s\n%s\n", m.Name, m.Content)
	}
	return strings.TrimSpace(text.String()) + "\n", nil
}
