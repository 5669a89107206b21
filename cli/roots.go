package cli

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"waferchat/config"
)

// trust is the certificates of ca_file, read at the first need.
type trust struct {
	mu   sync.Mutex
	file string
	pool *x509.CertPool
	err  error
}

// roots are the certificates to trust besides the system's, nil for none.
func (p *program) roots() (*x509.CertPool, error) {
	t, file := &p.trust, p.config.CAFile
	if file == "" {
		return nil, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file != file {
		t.file = file
		t.pool, t.err = readRoots(file)
	}
	if t.err != nil {
		return nil, usage("ca_file %v (%s)", t.err, origin(p.config.Origin("ca_file")))
	}
	return t.pool, nil
}

// readRoots reads a PEM file. Its errors name the file.
func readRoots(file string) (*x509.CertPool, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		return nil, fmt.Errorf("%s cannot be read: %w", file, err)
	}
	pool, n := x509.NewCertPool(), 0
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		n++
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("%s: certificate %d is broken: %w", file, n, err)
		}
		pool.AddCert(c)
	}
	if n == 0 {
		return nil, fmt.Errorf("%s holds no certificate in PEM form", file)
	}
	return pool, nil
}

// rootProblems looks at the ca_file of the configuration and of every profile.
func (p *program) rootProblems() []config.Problem {
	var out []config.Problem
	seen := map[config.Origin]bool{}
	for _, c := range p.everyProfile() {
		at := c.Origin("ca_file")
		if c.CAFile == "" || seen[at] {
			continue
		}
		seen[at] = true
		if _, err := readRoots(c.CAFile); err != nil {
			out = append(out, config.Problem{Source: at.Source, Line: at.Line, Column: at.Column,
				Option: "ca_file", Message: fmt.Sprintf("ca_file %v", err)})
		}
	}
	return out
}

// everyProfile is the configuration in force, and that of each profile.
func (p *program) everyProfile() []config.Config {
	all := []config.Config{p.config}
	for _, name := range p.config.Profiles {
		c, _ := p.load(name)
		all = append(all, c)
	}
	return all
}
