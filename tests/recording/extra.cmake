# Files for the readers are packed by zlib, which is also what their own unpacking is compared with.
find_package(ZLIB REQUIRED)
target_link_libraries(test_recording PRIVATE ZLIB::ZLIB)
