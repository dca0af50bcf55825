// A Redis in memory, for Argo CD's cache: what Argo CD itself uses in place of Redis when it runs without a cluster. It listens
// on port 6379 with the password of REDIS_PASSWORD, until a signal ends it.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/alicebob/miniredis/v2"
)

func main() {
	server := miniredis.NewMiniRedis()
	if password := os.Getenv("REDIS_PASSWORD"); password != "" {
		server.RequireAuth(password)
	}
	if err := server.StartAddr(":6379"); err != nil {
		fmt.Fprintln(os.Stderr, "cannot listen:", err)
		os.Exit(1)
	}
	// Values expire only as its clock is moved.
	for range time.Tick(time.Second) {
		server.FastForward(time.Second)
	}
}
