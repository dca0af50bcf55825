// Renders Shoots with the Kyma infrastructure manager's own code. It is run in a checkout of that program (main.ts), reads
// cases from standard input and writes a Shoot for each.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"

	gardener "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	imv1 "github.com/kyma-project/infrastructure-manager/api/v1"
	"github.com/kyma-project/infrastructure-manager/pkg/config"
	"github.com/kyma-project/infrastructure-manager/pkg/gardener/shoot"
	"github.com/kyma-project/infrastructure-manager/pkg/gardener/shoot/extender/auditlogs"
)

type goldenCase struct {
	Title   string                          `json:"title"`
	Runtime imv1.Runtime                    `json:"runtime"`
	Config  config.Config                   `json:"config"`
	Audit   auditlogs.AuditLogData          `json:"audit"`
	Window  *gardener.MaintenanceTimeWindow `json:"window"`
	// Title of an earlier case.
	Patches string `json:"patches"`
}

func main() {
	var cases []goldenCase
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		log.Fatal(err)
	}
	shoots := map[string]gardener.Shoot{}
	for _, c := range cases {
		converter := createConverter(c)
		if c.Patches != "" {
			converter = patchConverter(c, shoots[c.Patches])
		}
		rendered, err := converter.ToShoot(c.Runtime)
		if err != nil {
			log.Fatalf("%s: %v", c.Title, err)
		}
		shoots[c.Title] = *rendered.DeepCopy()
	}
	if err := json.NewEncoder(os.Stdout).Encode(shoots); err != nil {
		log.Fatal(err)
	}
}

func createConverter(c goldenCase) shoot.Converter {
	return shoot.NewConverterCreate(context.Background(), shoot.CreateOpts{
		ConverterConfig:                 c.Config.ConverterConfig,
		AuditLogData:                    c.Audit,
		MaintenanceTimeWindow:           c.Window,
		NetworkRestrictionGlobalEnabled: true,
	})
}

func patchConverter(c goldenCase, live gardener.Shoot) shoot.Converter {
	spec := live.DeepCopy().Spec
	return shoot.NewConverterPatch(context.Background(), shoot.PatchOpts{
		ConverterConfig:                 c.Config.ConverterConfig,
		AuditLogData:                    c.Audit,
		MaintenanceTimeWindow:           c.Window,
		ShootK8SVersion:                 spec.Kubernetes.Version,
		Workers:                         spec.Provider.Workers,
		Extensions:                      spec.Extensions,
		Resources:                       spec.Resources,
		InfrastructureConfig:            spec.Provider.InfrastructureConfig,
		ControlPlaneConfig:              spec.Provider.ControlPlaneConfig,
		ExistingDNS:                     spec.DNS,
		NetworkRestrictionGlobalEnabled: true,
	})
}
