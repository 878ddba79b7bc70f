# The page's side of tasks that are shared, which nothing but the page is made of (src/page).
target_sources(test_page PRIVATE "${PROJECT_SOURCE_DIR}/src/page/page_workers.cpp")
