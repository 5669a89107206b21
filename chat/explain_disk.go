package chat

import (
	"errors"
	"io/fs"
	"runtime"
	"syscall"
)

// Primary result codes of SQLite, from its document "Result and Error Codes".
// The store's driver gives them by a method Code, in the low byte.
const (
	sqliteBusy     = 5
	sqliteLocked   = 6
	sqliteReadOnly = 8
	sqliteIOErr    = 10
	sqliteCorrupt  = 11
	sqliteFull     = 13
	sqliteCantOpen = 14
	sqliteNotADB   = 26
)

// diskFullWindows is Windows' ERROR_DISK_FULL; elsewhere the number means
// something else.
const diskFullWindows = syscall.Errno(112)

// explainDisk explains why something could not be read from or written to the
// disk.
func explainDisk(err error) words {
	code := sqliteCode(err)
	switch {
	case code == sqliteFull || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || runtime.GOOS == "windows" && errors.Is(err, diskFullWindows):
		return words{"The disk is full, so this chat cannot be saved.", "Free some space; what is not saved yet is kept in memory and saved as soon as that works."}
	case code == sqliteReadOnly || errors.Is(err, syscall.EROFS):
		return words{"The chats cannot be saved, because their place on the disk is read-only.", "Make it writable, or choose another one with --data-dir."}
	case errors.Is(err, fs.ErrPermission) && !isNetwork(err):
		return words{"The chats cannot be read or saved, because the permission is missing.", "Check the owner and mode of the data directory, or choose another one with --data-dir."}
	case code == sqliteCantOpen:
		return words{"The file with the chats cannot be opened.", "Check that the data directory exists and is yours, or choose another one with --data-dir."}
	case code == sqliteCorrupt || code == sqliteNotADB:
		return damaged()
	case code == sqliteBusy || code == sqliteLocked:
		return words{"The file with the chats is in use by another program.", "Try again in a moment."}
	case code == sqliteIOErr || errors.Is(err, syscall.EIO):
		return words{"The disk reported an error, so this chat cannot be saved.", "Check the disk; what is not saved yet is kept in memory and saved as soon as that works."}
	}
	return words{}
}

func damaged() words {
	return words{"The file with the chats is damaged.", "It was left as it is. Move it away to begin a new one, or put a backup in its place: `waferchat sessions path` names it."}
}

// sqliteCode returns the primary result code of a store's error, or 0.
func sqliteCode(err error) int {
	var coded interface {
		error
		Code() int
	}
	if errors.As(err, &coded) {
		return coded.Code() & 0xff
	}
	return 0
}
