package emulator

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// StreamEnd is a step that ends an answer over HTTP/2 in one of that protocol's
// own ways; over HTTP/1.1 it is [RST].
type StreamEnd string

// The ends that HTTP/2 servers and the proxies before them are known for.
const (
	// GoAway says with GOAWAY and NO_ERROR that no request was taken, so that
	// the client gives the running one up.
	GoAway StreamEnd = "goaway"
	// ResetInternal is RST_STREAM with INTERNAL_ERROR.
	ResetInternal StreamEnd = "internal error"
	// ResetCalm is RST_STREAM with ENHANCE_YOUR_CALM.
	ResetCalm StreamEnd = "enhance your calm"
	// ResetCancel is RST_STREAM with CANCEL.
	ResetCancel StreamEnd = "cancel"
)

func (e StreamEnd) play(p *player) error {
	if p.dry {
		return nil
	}
	if w, ok := p.x.w.(*streamWriter); ok {
		w.conn.end(w.id, e)
	}
	return errReset
}

// RunningHTTP2 is a [Server] that listens for HTTP/2 over TLS and nothing else.
// It is as small as a protocol allows that has flow control: a request's body
// is read whole before it is answered.
type RunningHTTP2 struct {
	*Server
	// URL is the base URL, ending in /v1.
	URL string
	// Roots holds the certificate that was made for this server.
	Roots *x509.CertPool

	listener net.Listener
	cancel   context.CancelFunc
	busy     sync.WaitGroup
}

// StartHTTP2 listens on a free loopback port.
func StartHTTP2(o Options) (*RunningHTTP2, error) {
	certificate, roots, err := selfSigned()
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the emulator: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &RunningHTTP2{Server: New(o), URL: "https://" + l.Addr().String() + "/v1", Roots: roots, listener: l, cancel: cancel}
	config := &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{"h2"}}
	r.busy.Go(func() {
		for {
			raw, err := l.Accept()
			if err != nil {
				return // closed
			}
			r.busy.Go(func() { r.serve(ctx, tls.Server(raw, config)) })
		}
	})
	return r, nil
}

// Close breaks off every answer, closes all connections and the port, and
// returns when nothing of the server runs any more. It may be called again.
func (r *RunningHTTP2) Close() error {
	r.cancel()
	err := r.listener.Close()
	r.busy.Wait()
	if err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("close the emulator: %w", err)
	}
	return nil
}

func selfSigned() (tls.Certificate, *x509.CertPool, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, nil, fmt.Errorf("make key: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<32, 0),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return tls.Certificate{}, nil, fmt.Errorf("make certificate: %w", err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return tls.Certificate{}, nil, fmt.Errorf("make certificate: %w", err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(certificate)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots, nil
}

func (r *RunningHTTP2) serve(ctx context.Context, c net.Conn) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer stop()
	if _, err := io.ReadFull(c, make([]byte, len(http2.ClientPreface))); err != nil {
		cancel()
		_ = c.Close()
		return
	}
	conn := &connection{server: r.Server, ctx: ctx, framer: http2.NewFramer(c, c), window: 65535, initial: 65535, streams: map[uint32]*stream{}}
	conn.freed = sync.NewCond(&conn.mu)
	conn.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	conn.write(func() error { return conn.framer.WriteSettings() })
	for {
		frame, err := conn.framer.ReadFrame()
		if err != nil {
			break
		}
		conn.take(frame)
	}
	cancel()
	_ = c.Close()
	conn.mu.Lock()
	conn.freed.Broadcast()
	conn.mu.Unlock()
	conn.busy.Wait()
}
