// The function of bcryptprimitives.dll that Go programs need and Wine 8 lacks.
__declspec(dllimport) unsigned char __stdcall SystemFunction036(void *, unsigned long);
__declspec(dllexport) int __stdcall ProcessPrng(void *p, unsigned long long n) { return SystemFunction036(p, (unsigned long)n); }
