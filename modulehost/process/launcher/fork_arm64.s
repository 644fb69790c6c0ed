#include "textflag.h"

// func vfork(flags uintptr) (pid uintptr)
// The return address is in a register.
TEXT ·vfork(SB), NOSPLIT|NOFRAME, $0-16
	MOVD	flags+0(FP), R0
	MOVD	ZR, R1
	MOVD	ZR, R2
	MOVD	ZR, R3
	MOVD	ZR, R4
	MOVD	$220, R8 // clone
	SVC
	MOVD	R0, pid+8(FP)
	RET
