// CoreDNS with the plugins that a cluster needs, instead of all that it has: a tenth of the modules and of the build.
// coredns.io/2017/07/25/compile-time-enabling-or-disabling-plugins describes such programs.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"

	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/ready"
)

func main() {
	// A request passes the plugins in this order, as in CoreDNS's own plugin.cfg.
	dnsserver.Directives = []string{"bind", "ready", "errors", "cache", "kubernetes"}
	coremain.Run()
}
