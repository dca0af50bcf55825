// Stands for github.com/nebius/gosdk, which the module proxy lacks: identities of Nebius cannot be used.
module github.com/nebius/gosdk

go 1.26.0
