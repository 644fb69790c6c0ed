#include "textflag.h"

// func vfork(flags uintptr) (pid uintptr)
TEXT ·vfork(SB), NOSPLIT|NOFRAME, $0-16
	MOVQ	flags+0(FP), DI
	XORL	SI, SI
	XORL	DX, DX
	XORL	R10, R10
	XORL	R8, R8
	MOVL	$56, AX // clone
	POPQ	R12     // the return address, which the child's calls would overwrite
	SYSCALL
	PUSHQ	R12
	MOVQ	AX, pid+8(FP)
	RET
