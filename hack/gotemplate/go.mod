// Runs the golden cases of internal/gotemplate. sprout is at the version that SAP BTP service operator uses; the release of
// Go decides the behaviour of text/template.
module provider-kyma/gotemplate

go 1.26.0

require github.com/go-sprout/sprout v1.0.3

require (
	dario.cat/mergo v1.0.2 // indirect
	github.com/Masterminds/semver/v3 v3.4.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/mitchellh/copystructure v1.2.0 // indirect
	github.com/mitchellh/reflectwalk v1.0.2 // indirect
	github.com/spf13/cast v1.10.0 // indirect
	go.yaml.in/yaml/v3 v3.0.4 // indirect
	golang.org/x/crypto v0.46.0 // indirect
	golang.org/x/text v0.32.0 // indirect
)
